//@ verdict: FALSE(unreach-call)
// The element that is read lies outside of its row, where nothing is required of the index.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[10][10];
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++)
            a[i][j] = i == 5 ? 8 : 7;
    int k = __VERIFIER_nondet_int();
    if (k >= 0 && k < 60 && a[0][k] != 7)
        reach_error();
    return 0;
}
