//@ verdict: TRUE
// The mode that fesetround sets holds for everything that rounds, until it is set again.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int fesetround(int);
int fegetround(void);
double rint(double);
long lrint(double);
double nearbyint(double);
double sqrt(double);
double fma(double, double, double);
#define NEAREST 0
#define DOWN 0x400
#define UP 0x800
#define ZERO 0xc00
#define check(x)           \
    do {                   \
        if (!(x))          \
            reach_error(); \
    } while (0)

static double quotient(double a, double b)
{
    return a / b;
}

int main(void)
{
    int k = __VERIFIER_nondet_int(), big = 16777219;
    double one = 1.0, two = 2.0, three = 3.0, tiny = 0x1p-60;
    check(fegetround() == NEAREST);
    double nearest = quotient(one, three);
    check(fesetround(UP) == 0 && fegetround() == UP);
    double above = quotient(one, three);
    float narrow_above = above, big_above = big;
    check(lrint(2.1) == 3 && rint(-2.9) == -2.0 && one + tiny > one);
    check(fma(one, one, tiny) > one);
    fesetround(DOWN);
    double below = quotient(one, three), root = sqrt(two);
    float narrow_below = below;
    check(fesetround(12345) != 0 && fegetround() == DOWN);
    check(lrint(-2.1) == -3 && one - tiny < one);
    fesetround(ZERO);
    float big_zero = big;
    check(lrint(3.5) == 3 && lrint(-3.5) == -3 && nearbyint(2.9) == 2.0);
    fesetround(k ? UP : NEAREST);
    float big_some = big;
    fesetround(NEAREST);
    check(below < above && (nearest == below || nearest == above));
    check(narrow_below < narrow_above && root * root <= 2.0);
    check(big_zero == 16777218.0f && big_above == 16777220.0f && big_some == 16777220.0f);
    return 0;
}
