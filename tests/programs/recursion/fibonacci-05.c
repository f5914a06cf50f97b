//@ verdict: FALSE(unreach-call)
// As fibonacci-04.c, with an index that takes more calls.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int fibonacci(int n)
{
    if (n < 1)
        return 0;
    if (n == 1)
        return 1;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x > 46)
        return 0;
    if (x == 8 && fibonacci(x) == 21)
        reach_error();
    return 0;
}
