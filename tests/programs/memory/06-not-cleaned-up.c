//@ property: valid-memcleanup
//@ verdict: FALSE(valid-memcleanup)
#include <stdlib.h>
char *kept;
int main(void)
{
    kept = malloc(10);
    return 0;
}
