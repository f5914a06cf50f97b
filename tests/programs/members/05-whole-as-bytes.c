//@ verdict: FALSE(unreach-call)
//@ time: 60
// Standard C: a pointer to the whole walks over all of it, although the first member is an array of the same type.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

struct S {
    char a[4];
    int b;
};

static void clear(void *object, unsigned long size)
{
    char *p = object;
    while (size--)
        *p++ = 0;
}

int main(void)
{
    struct S s = {"abc", 1};
    int k = __VERIFIER_nondet_int();
    if (k * 2654435761u == 305419896u)
        clear(&s, sizeof s);
    assert(s.b == 1);
    return 0;
}
