//@ property: no-overflow
//@ verdict: TRUE
extern long long __VERIFIER_nondet_longlong(void);
int main(void)
{
    long long a = __VERIFIER_nondet_longlong(), b = __VERIFIER_nondet_longlong();
    if (a < -1000000 || a > 1000000 || b < -1000000 || b > 1000000)
        return 0;
    return a + b > 0 && a * b > 7 && a - b < 3 && b != 0 && a / b > 0;
}
