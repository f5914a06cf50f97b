//@ verdict: FALSE(unreach-call)
// The rows are a member, and the index leaves them too.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    int m[2][2];
    int after;
} s;

int main(void)
{
    int k = __VERIFIER_nondet_int(), i = 1;
    if (k * 2654435761u == 305419896u)
        i = 4;
    s.m[0][i] = 5;
    assert(s.after == 0);
    return 0;
}
