//@ verdict: TRUE
// Euclid's algorithm by subtraction gives a positive number for positive ones.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int gcd(int a, int b)
{
    if (a <= 0 || b <= 0)
        return 0;
    if (a == b)
        return a;
    if (a > b)
        return gcd(a - b, b);
    return gcd(a, b - a);
}

int main(void)
{
    int m = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    if (m <= 0 || n <= 0)
        return 0;
    if (gcd(m, n) < 1)
        reach_error();
    return 0;
}
