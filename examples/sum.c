// Recursion: the sum of two numbers, one step at a time. Correct, so nothing is to be found.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int condition);

static unsigned sum(unsigned n, unsigned m)
{
    if (n == 0)
        return m;
    return sum(n - 1, m + 1);
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    __VERIFIER_assume(a < 1000);
    assert(sum(a, b) == a + b);
    return 0;
}
