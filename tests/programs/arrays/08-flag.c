//@ verdict: TRUE
// The assertion reads no element: a loop has noted for it whether all of them are right.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int value[100000], sign[100000], fine = 1;
    for (int i = 0; i < 100000; i++)
        value[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 100000; i++)
        sign[i] = value[i] < 0 ? -1 : 1;
    for (int i = 0; i < 100000; i++) {
        if (value[i] < 0 && sign[i] != -1)
            fine = 0;
        if (value[i] >= 0 && sign[i] != 1)
            fine = 0;
    }
    assert(fine);
    return 0;
}
