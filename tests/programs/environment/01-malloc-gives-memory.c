//@ verdict: TRUE
// No allocation fails, unless that is asked for.
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof(int));
    assert(p != 0);
    *p = 3;
    p = realloc(p, 2 * sizeof(int));
    assert(p != 0 && *p == 3);
    return 0;
}
