//@ verdict: FALSE(unreach-call)
// An index that leaves its row is in the next one.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int m[2][2] = {{0}}, k = __VERIFIER_nondet_int(), i = 0;
    if (k * 2654435761u == 305419896u)
        i = 3;
    m[0][i] = 5;
    assert(m[1][1] == 0);
    return 0;
}
