//@ verdict: TRUE
//@ args: --malloc-may-fail
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    int *p = malloc(sizeof(int)), *q = calloc(2, sizeof(int));
    char *s = strdup("abc");
    int sum = 0;
    if (p) {
        *p = 3;
        sum += *p;
    }
    if (q)
        sum += q[1];
    if (s)
        sum += s[0] == 'a';
    assert(sum == 3 * (p != 0) + (s != 0));
    free(p);
    free(q);
    free(s);
    return 0;
}
