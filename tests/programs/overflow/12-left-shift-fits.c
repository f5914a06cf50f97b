//@ property: no-overflow
//@ verdict: TRUE
extern unsigned char __VERIFIER_nondet_uchar(void);
int main(void)
{
    unsigned char low = __VERIFIER_nondet_uchar(), high = __VERIFIER_nondet_uchar();
    unsigned word = low | high << 8 | (high & 127) << 24 | (unsigned)high << 24;
    return word != 0;
}
