//@ verdict: FALSE(unreach-call)
// A block that is filled from some element of a member on.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#include <string.h>
struct S {
    char a[8];
    char b[8];
};

int main(void)
{
    struct S s = {{0}, {0}};
    int k = __VERIFIER_nondet_int();
    if (k * 2654435761u == 305419896u)
        memset(&s.a[6], 1, 4);
    assert(s.b[1] == 0);
    return 0;
}
