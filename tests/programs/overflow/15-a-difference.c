//@ property: no-overflow
//@ verdict: TRUE
// The loop keeps i <= n, so that i + 1 does not overflow; bounds of each alone would not say so.
int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int(), i = __VERIFIER_nondet_int();
    if (i > n || i < 0)
        return 0;
    while (__VERIFIER_nondet_int()) {
        if (i < n)
            i = i + 1;
        int left = n - i;
        i = i + (left > 0 ? 1 : 0);
    }
    return 0;
}
