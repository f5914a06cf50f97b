//@ verdict: FALSE(unreach-call)
#include <assert.h>

typedef volatile unsigned reg;
reg timer;

int main(void)
{
    assert(timer == timer);
    return 0;
}
