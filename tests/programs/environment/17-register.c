//@ verdict: FALSE(unreach-call)
// A register at a fixed address: reading gives anything, writing is possible.
#include <assert.h>

#define CONTROL (*(volatile unsigned *)0x40001000)

int main(void)
{
    CONTROL = 1;
    while (!(CONTROL & 2))
        ;
    assert(CONTROL & 2);
    return 0;
}
