//@ verdict: FALSE(unreach-call)
// A pointer into the member goes back before its beginning.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    int first;
    int rest[4];
};

int main(void)
{
    struct S s = {5, {0}};
    int *p = s.rest + 2, i = __VERIFIER_nondet_int(), k = __VERIFIER_nondet_int();
    if (i < -3 || i > 1)
        return 0;
    if (k * 2654435761u == 305419896u)
        p[i] = 1;
    assert(s.first == 5);
    return 0;
}
