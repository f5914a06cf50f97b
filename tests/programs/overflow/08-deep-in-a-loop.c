//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    if (x < 1000000 || y != x + 7)
        return 0;
    for (int i = 0; i < 3; i++)
        x = x + y;
    return x;
}
