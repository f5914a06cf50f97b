//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
// Whether the shift overflows or wraps: there is an overflow.
unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned s = __VERIFIER_nondet_uint();
    if (s >= 32)
        return 0;
    unsigned mask = (1 << s) - 1;
    return mask == 7;
}
