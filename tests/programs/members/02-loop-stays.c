//@ verdict: TRUE
// The same loop, which never leaves the array: the neighbour is what it was.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    char name[8];
    int access;
};

int main(void)
{
    struct S s = {"", 0};
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < 8; i++)
        s.name[i] = 1;
    assert(s.access == 0);
    return 0;
}
