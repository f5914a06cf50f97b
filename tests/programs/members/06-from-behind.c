//@ verdict: FALSE(unreach-call)
// One past the whole, and back from there.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    unsigned a[2];
    unsigned b;
};

int main(void)
{
    struct S s = {{0}, 1};
    struct S *end = &s + 1;
    unsigned *last = (unsigned *)end;
    int k = __VERIFIER_nondet_int();
    if (k * 2654435761u == 305419896u)
        last[-1] = 7;
    assert(s.b == 1);
    return 0;
}
