//@ verdict: TRUE
// The last array of a struct may be longer than it says; in front of it nothing changes.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

extern void *malloc(unsigned long);
struct S {
    int length;
    int data[];
};

int main(void)
{
    struct S *s = malloc(sizeof(struct S) + 8 * sizeof(int));
    s->length = 8;
    for (int i = 0; i < s->length; i++)
        s->data[i] = 3;
    assert(s->length == 8);
    return 0;
}
