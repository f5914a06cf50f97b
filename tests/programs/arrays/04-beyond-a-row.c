//@ verdict: FALSE(unreach-call)
// An index that leaves its row is an element of the next one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 2 || m > 100 || n < 2 || n > 100)
        return 0;
    int a[m][n];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = 7;
    a[0][n + 1] = 8;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (a[i][j] != 7)
                reach_error();
    return 0;
}
