//@ property: valid-memsafety
//@ verdict: TRUE
//@ today: UNKNOWN
#include <stdlib.h>
char *kept;
int main(void)
{
    kept = malloc(10);
    return 0;
}
