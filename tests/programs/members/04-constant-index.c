//@ verdict: FALSE(unreach-call)
// The index is a constant, and outside.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    int a[2];
    int b;
};

int main(void)
{
    struct S s = {{0}, 1};
    int k = __VERIFIER_nondet_int();
    if (k < 0 && k * k == 1234321)
        s.a[2] = 5;
    assert(s.b == 1);
    return 0;
}
