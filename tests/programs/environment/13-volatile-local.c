//@ verdict: TRUE
// Nobody else knows where a variable of a function is.
#include <assert.h>

static void set(volatile int *where, int what)
{
    *where = what;
}

int main(void)
{
    volatile int own = 1, plain[3] = {1, 2, 3};
    int ordinary = 4;
    set(&own, 2);
    assert(own == 2 && plain[2] == 3);
    assert(*(volatile int *)&ordinary == 4);
    return 0;
}
