//@ verdict: FALSE(unreach-call)
// The index leaves a member of one element and is in the next element.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct P {
    int x[2];
    int y;
} s[3];

int main(void)
{
    int k = __VERIFIER_nondet_int(), i = 0;
    if (k * 2654435761u == 305419896u)
        i = 5;
    s[0].x[i] = 9;
    assert(s[1].y == 0);
    return 0;
}
