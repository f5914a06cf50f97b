//@ verdict: FALSE(unreach-call)
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_error(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x > 0 && x < 8);
    if (x == 5)
        __VERIFIER_error();
    return 0;
}
