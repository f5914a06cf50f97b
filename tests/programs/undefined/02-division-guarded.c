//@ property: division-by-zero
//@ verdict: TRUE
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    unsigned u = (unsigned)x;
    double d = 1.0 / (x - x); /* no integer: infinity is a number */
    int sum = 0;
    for (int i = 1; i <= 10; i++)
        sum += y / i + 100 % (i + 3);
    return y != 0 ? x / y + (int)(u % (u | 1u)) : (int)d;
}
