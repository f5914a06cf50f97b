//@ verdict: FALSE(valid-deref)
//@ property: valid-memsafety
// The arguments have no part in it.
#include <stdlib.h>

int main(int argc, char *argv[])
{
    int *p = malloc(3 * sizeof(int));
    for (int i = 0; i <= 3; i++)
        p[i] = i;
    free(p);
    return 0;
}
