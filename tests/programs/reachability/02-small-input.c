//@ verdict: FALSE(unreach-call)
int __VERIFIER_nondet_int(void);
void reach_error(void);
int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x * x == 9 && x > 0)
        reach_error();
    return 0;
}
