//@ verdict: TRUE
// What the inner loop needs to know, the outer one must hand on.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (n < 1 || n > 100000 || m < 1 || m > 100000)
        return 0;
    unsigned rows = m, columns = n;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (j >= (int)columns || i >= (int)rows)
                reach_error();
    return 0;
}
