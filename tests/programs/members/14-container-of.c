//@ verdict: FALSE(unreach-call)
// From a member back to the struct that it is a member of.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    int a[2];
    int b[2];
};

int main(void)
{
    struct S s = {{1, 1}, {1, 1}};
    int *member = s.b, k = __VERIFIER_nondet_int();
    struct S *whole = (struct S *)((char *)member - 8);
    if (k * 2654435761u == 305419896u)
        whole->a[1] = 0;
    assert(s.a[1] == 1);
    return 0;
}
