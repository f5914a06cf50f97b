//@ verdict: TRUE
// The index leaves the member, and what is asserted holds all the same.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    int a[2];
    int b[2];
} s;

int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 3)
        return 0;
    s.a[i] = 1;
    assert(s.b[0] + s.b[1] <= 1);
    return 0;
}
