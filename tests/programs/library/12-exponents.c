//@ verdict: TRUE
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
double fma(double, double, double), frexp(double, int *), ldexp(double, int), fmod(double, double);
double nextafter(double, double);
int ilogb(double);
static const double table[] = {-1.5, 2.5, 0.5, 12.5};
#define check(x)           \
    do {                   \
        if (!(x))          \
            reach_error(); \
    } while (0)
int main(void)
{
    int k = __VERIFIER_nondet_int(), e;
    __VERIFIER_assume(k >= 0 && k < 4);
    double x = table[k], m = frexp(x, &e);
    check(ldexp(m, e) == x && (m < 0 ? -m : m) >= 0.5 && m < 1 && m > -1);
    check(ilogb(x) == e - 1 && nextafter(x, 100.0) > x);
    check(fmod(x, 1.0) == (k == 0 ? -0.5 : 0.5));
    double a = 1 + 0x1p-52, b = 1 - 0x1p-52;
    check(a * b - 1 == 0 && fma(a, b, -1.0) != 0);
    return 0;
}
