//@ verdict: FALSE(valid-free)
#include <stdlib.h>

int main(void)
{
    int x = 0, *p = &x;
    free(p);
    return 0;
}
