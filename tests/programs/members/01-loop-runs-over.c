//@ verdict: FALSE(unreach-call)
// The loop may write one element too many, and that is the neighbour. No execution with small numbers does.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    char name[8];
    int access;
};

int main(void)
{
    struct S s = {"", 0};
    int k = __VERIFIER_nondet_int(), n = 8;
    if (k * 2654435761u == 305419896u)
        n = 9;
    for (int i = 0; i < n; i++)
        s.name[i] = 1;
    assert(s.access == 0);
    return 0;
}
