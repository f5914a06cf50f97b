//@ verdict: FALSE(unreach-call)
// The array is in a union, and behind the union there is something.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    union {
        unsigned char bytes[4];
        int whole;
    } u;
    unsigned flag : 3, rest : 29;
} s;

int main(void)
{
    int k = __VERIFIER_nondet_int(), i = 0;
    if (k * 2654435761u == 305419896u)
        i = 4;
    s.u.bytes[i] = 1;
    assert(s.flag == 0);
    return 0;
}
