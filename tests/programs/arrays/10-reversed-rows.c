//@ verdict: TRUE
// Two arrays, of which one is passed from its end: their indices are compared with different sums of the same variables.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[1000][1500], b[1000][1500], i, j;
    for (i = 0; i < 1000; i++)
        for (j = 0; j < 1500; j++)
            b[i][j] = __VERIFIER_nondet_int();
    for (i = 0; i < 1000; i++)
        for (j = 0; j < 1500; j++)
            a[i][j] = b[999 - i][1499 - j];
    for (i = 0; i < 1000; i++)
        for (j = 0; j < 1500; j++)
            if (a[i][j] != b[999 - i][1499 - j])
                reach_error();
    return 0;
}
