//@ verdict: TRUE
// A copy of a copy: what the last array holds flows from the first, through one that the assertion does not read.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[100000], b[100000], c[100000], d[100000];
    for (int i = 0; i < 100000; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < 100000; i++)
        b[i] = a[i];
    for (int i = 0; i < 100000; i++)
        c[i] = b[i];
    for (int i = 0; i < 100000; i++)
        d[i] = c[i];
    for (int i = 0; i < 100000; i++)
        if (d[i] != a[i])
            reach_error();
    return 0;
}
