//@ property: no-overflow
//@ verdict: TRUE
// The sum does not overflow because the result is twice the argument, and the argument is bounded.
int __VERIFIER_nondet_int(void);
int twice(int n)
{
    if (n <= 0)
        return 0;
    return twice(n - 1) + 2;
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000000)
        return 0;
    return twice(n) + twice(n) >= 0;
}
