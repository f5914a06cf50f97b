//@ property: shift
//@ verdict: TRUE
extern unsigned __VERIFIER_nondet_uint(void);
int main(void)
{
    unsigned bits = __VERIFIER_nondet_uint(), count = 0;
    for (int i = 0; i < 32; i++)
        count += bits >> i & 1;
    int mask = 1 << (count & 7);
    return mask >> (bits & 31);
}
