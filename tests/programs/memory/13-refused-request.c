//@ property: valid-memsafety
//@ verdict: TRUE
//@ today: UNKNOWN
/* TRUE only because no request is refused, and labels do not agree on that. */
#include <stdlib.h>

int main(void)
{
    int *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    if (!first)
        return 1;
    *first = 1;
    *second = 2;
    free(first);
    free(second);
    return 0;
}
