//@ verdict: FALSE(unreach-call)
// A string that is longer than its member.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

#include <string.h>
struct S {
    char a[4];
    char b[8];
};

int main(void)
{
    struct S s = {"", ""};
    int k = __VERIFIER_nondet_int();
    strcpy(s.a, "abc");
    if (k * 2654435761u == 305419896u)
        strcat(s.a, "def");
    assert(strlen(s.b) == 0);
    return 0;
}
