//@ verdict: FALSE(unreach-call)
// Two elements must have set the flag before the assertion fails: one choice of an element would not be enough.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int value[5], negative = 0, count = 0;
    for (int i = 0; i < 5; i++)
        value[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 5; i++) {
        if (value[i] < 0)
            negative = 1;
        if (negative)
            count++;
        negative = 0;
    }
    assert(count < 2);
    assert(!negative);
    return 0;
}
