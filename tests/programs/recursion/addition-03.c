//@ verdict: FALSE(unreach-call)
// Addition by moving units from one argument to the other; the sum of two large numbers wraps around.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int addition(int m, int n)
{
    if (n == 0)
        return m;
    if (n > 0)
        return addition(m + 1, n - 1);
    return addition(m - 1, n + 1);
}

int main(void)
{
    int m = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    if (m < 100 || n < 100)
        return 0;
    if (addition(m, n) < 200)
        reach_error();
    return 0;
}
