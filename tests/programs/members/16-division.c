//@ verdict: FALSE(division-by-zero)
//@ property: division-by-zero
// The neighbour is a divisor.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    char a[4];
    int b;
};

int main(void)
{
    struct S s = {"abc", 1};
    char *p = (char *)&s;
    int k = __VERIFIER_nondet_int();
    if (k * 2654435761u == 305419896u)
        p[4] = 0;
    return 5 / s.b;
}
