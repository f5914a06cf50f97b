//@ verdict: FALSE(unreach-call)
// The pointer to the whole goes through a table of `void *`.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    char a[4];
    int b;
} s;
void *table[2];

int main(void)
{
    table[1] = &s;
    char *p = table[1];
    int k = __VERIFIER_nondet_int();
    if (k < 0 && k * k == 1234321)
        p[5] = 1;
    assert(s.b == 0);
    return 0;
}
