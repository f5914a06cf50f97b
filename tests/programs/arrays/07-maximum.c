//@ verdict: TRUE
// The element that is compared with the maximum is the one that becomes it: both reads give the same.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[100][2000], i, j;
    for (i = 0; i < 50; i++)
        for (j = 0; j < 2000; j++)
            a[i][j] = __VERIFIER_nondet_int();
    int max = a[0][0];
    for (i = 0; i < 100; i++)
        for (j = 0; j < 2000; j++)
            if (a[i][j] > max)
                max = a[i][j];
    for (i = 0; i < 100; i++)
        for (j = 0; j < 2000; j++)
            if (a[i][j] > max)
                reach_error();
    return 0;
}
