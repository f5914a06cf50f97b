//@ property: shift
//@ verdict: FALSE(shift)
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 1000 || x < -1)
        return 0;
    return x << 4;
}
