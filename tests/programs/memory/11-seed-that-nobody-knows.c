//@ property: valid-memsafety
//@ verdict: TRUE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What `time` returns decides nothing, so there is one execution. */
int main(int argc, char **argv)
{
    srand((unsigned)time(NULL));
    int *p = malloc(4 * sizeof *p);
    if (!p)
        return 1;
    for (int i = 0; i < 4; i++)
        p[i] = i;
    printf("%d\n", p[3]);
    free(p);
    return 0;
}
