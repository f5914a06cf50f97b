//@ verdict: FALSE(unreach-call)
int __VERIFIER_nondet_int(void);
void reach_error(void);
static int inc(int x) { return x + 1; }
static int dec(int x) { return x - 1; }
int main(void)
{
    int (*step)(int) = __VERIFIER_nondet_int() ? inc : dec;
    if (step(0) == 1)
        reach_error();
    return 0;
}
