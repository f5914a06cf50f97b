//@ verdict: TRUE
//@ today: UNKNOWN
// The function is called for a register and for memory of the program's own.
#include <assert.h>

volatile int port;

static int low_bit(volatile int *at)
{
    return *at & 1;
}

int main(void)
{
    int own = 2, bit = low_bit(&port);
    assert(bit == 0 || bit == 1);
    assert(low_bit(&own) == 0);
    return 0;
}
