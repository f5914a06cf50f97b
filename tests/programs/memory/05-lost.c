//@ property: valid-memsafety
//@ verdict: FALSE(valid-memtrack)
#include <stdlib.h>
int main(void)
{
    char *p = malloc(10);
    p = 0;
    return 0;
}
