//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
// A negative value that is shifted to the left is undefined, but hides no overflow elsewhere.
int __VERIFIER_nondet_int(void);
int main(void)
{
    int s = __VERIFIER_nondet_int();
    if (s >= 32)
        return 0;
    int mask = s << 3;
    if (s > 0 && mask == 40)
        return 2147483647 - 4 + s;
    return mask == 7;
}
