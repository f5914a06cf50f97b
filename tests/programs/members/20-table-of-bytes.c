//@ verdict: TRUE
// A table gives the bytes of an address back: the pointer is the same, and nothing is written through it.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 1, *p = &x, *q;
    unsigned char same[256];
    for (int i = 0; i < 256; i++)
        same[i] = i;
    for (int i = 0; i < 8; i++)
        ((unsigned char *)&q)[i] = same[((unsigned char *)&p)[i]];
    assert(x == 1);
    return 0;
}
