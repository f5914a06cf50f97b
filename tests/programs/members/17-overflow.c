//@ verdict: FALSE(no-overflow)
//@ property: no-overflow
// The neighbour becomes large.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    int a[2];
    int b;
};

int main(void)
{
    struct S s = {{0}, 1};
    int k = __VERIFIER_nondet_int(), i = 0;
    if (k == -1111)
        i = 2;
    s.a[i] = 2147483647;
    return s.b + 1;
}
