//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < -2147483647)
        return -x;
    return 0;
}
