//@ verdict: FALSE(unreach-call)
//@ args: --32 --malloc-may-fail
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    char *p = malloc(0x80000000u);
    assert(p != 0);
    return 0;
}
