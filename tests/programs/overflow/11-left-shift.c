//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
//@ today: UNKNOWN
// 128 << 24 is no `int`, though the left operand is a byte. Undefined and not representable, yet disputed as an overflow: no verdict.
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned char high = __VERIFIER_nondet_uchar();
    unsigned word = high << 24;
    return word != 0;
}
