//@ verdict: TRUE
//@ args: --volatile-is-memory
#include <assert.h>

static volatile int flag;

int main(void)
{
    flag = 3;
    assert(flag == 3 && flag - flag == 0);
    return 0;
}
