//@ verdict: TRUE
//@ args: --function check
#include <assert.h>

static int level = 3;

void check(void)
{
    assert(level == 3);
}
