//@ verdict: FALSE(unreach-call)
#include <assert.h>

volatile int device;

static int get(volatile int *at)
{
    return *at;
}

int main(void)
{
    device = 5;
    assert(get(&device) == 5);
    return 0;
}
