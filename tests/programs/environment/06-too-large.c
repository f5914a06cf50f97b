//@ verdict: TRUE
//@ args: --32
// Nobody can give half of the address space and one byte: what would follow does not count.
#include <assert.h>
#include <stdlib.h>

unsigned __VERIFIER_nondet_uint(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    char *p = malloc(n);
    assert(p != 0 && n <= 0x7fffffffu);
    int *q = calloc(n, sizeof(int));
    assert(n <= 0x1fffffffu);
    return 0;
}
