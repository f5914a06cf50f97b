//@ verdict: TRUE
//@ time: 20
// Every element of an array of arrays is set, whatever the lengths are.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
    if (m < 1 || m > 1000 || n < 1 || n > 1000)
        return 0;
    int a[m][n];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            a[i][j] = 7;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (a[i][j] != 7)
                reach_error();
    return 0;
}
