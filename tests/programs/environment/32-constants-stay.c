//@ verdict: TRUE
//@ args: --function check --globals any
#include <assert.h>

static const int limit = 10;
static int levels[4];
static struct {
    char name[8];
    int *where;
} state;

void check(void)
{
    static int calls;
    calls = 1;
    assert(limit == 10 && calls == 1 && sizeof(state.name) == 8);
    if (levels[1] == 5 && state.where == 0)
        assert(levels[1] > 4);
}
