//@ verdict: FALSE(unreach-call)
// An interrupt may set it between two lines.
#include <assert.h>

static volatile int flag;

int main(void)
{
    flag = 0;
    assert(flag == 0);
    return 0;
}
