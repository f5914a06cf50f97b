//@ verdict: FALSE(unreach-call)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int fesetround(int);
long lrint(double);
int main(void)
{
    int k = __VERIFIER_nondet_int();
    if (k == 77)
        fesetround(0x800);
    double x = 2.1;
    if (lrint(x) == 3)
        reach_error();
    return 0;
}
