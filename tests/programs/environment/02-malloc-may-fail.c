//@ verdict: FALSE(unreach-call)
//@ args: --malloc-may-fail
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof(int));
    assert(p != 0);
    *p = 3;
    return 0;
}
