//@ property: division-by-zero
//@ verdict: FALSE(division-by-zero)
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x > 0 && y > 0)
        return 100 / (x - y);
    return 0;
}
