//@ verdict: FALSE(unreach-call)
//@ args: --malloc-may-fail
// The old object is still there when realloc fails.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof(int));
    if (!p)
        return 0;
    *p = 7;
    int *q = realloc(p, 4 * sizeof(int));
    if (!q)
        assert(*p != 7);
    return 0;
}
