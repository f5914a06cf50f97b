//@ property: shift
//@ verdict: FALSE(shift)
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned amount = __VERIFIER_nondet_uint();
    if (amount > 32)
        return 0;
    return (int)(1u << amount);
}
