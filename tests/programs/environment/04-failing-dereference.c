//@ verdict: FALSE(valid-deref)
//@ property: valid-memsafety
//@ args: --malloc-may-fail
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof(int));
    *p = 3;
    free(p);
    return 0;
}
