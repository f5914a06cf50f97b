//@ verdict: FALSE(unreach-call)
// One element is changed between the copies.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[1000], b[1000], c[1000];
    for (int i = 0; i < 1000; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 1000; i++)
        b[i] = a[i];
    b[__VERIFIER_nondet_int() & 511] = 7;
    for (int i = 0; i < 1000; i++)
        c[i] = b[i];
    for (int i = 0; i < 1000; i++)
        if (c[i] != a[i])
            reach_error();
    return 0;
}
