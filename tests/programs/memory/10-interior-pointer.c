//@ property: valid-memsafety
//@ verdict: FALSE(valid-free)
#include <stdlib.h>
int main(void)
{
    char *p = malloc(10);
    if (p)
        free(p + 1);
    return 0;
}
