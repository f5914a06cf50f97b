//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
// 128 << 24 is no `int`, though the left operand is a byte.
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned char high = __VERIFIER_nondet_uchar();
    unsigned word = high << 24;
    return word != 0;
}
