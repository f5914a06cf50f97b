//@ verdict: TRUE
//@ time: 20
//@ property: unreach-call
// What a loop writes into one array is computed from others, and wraps around: the fact that is needed is what the program says.
#include <assert.h>

unsigned __VERIFIER_nondet_uint(void);
int __VERIFIER_nondet_int(void);

int main(void)
{
    unsigned length = __VERIFIER_nondet_uint();
    int left[length], right[length], both[length];
    for (unsigned i = 0; i < length; i++) {
        left[i] = __VERIFIER_nondet_int();
        right[i] = __VERIFIER_nondet_int();
    }
    for (unsigned i = 0; i < length; i++)
        both[i] = left[i] - right[i] + 7;
    for (unsigned i = 0; i < length; i++)
        assert(both[i] - 7 == left[i] - right[i]);
    return 0;
}
