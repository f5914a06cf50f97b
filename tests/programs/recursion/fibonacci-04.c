//@ verdict: FALSE(unreach-call)
// Some Fibonacci number is 5.
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
    if (x > 46 || x < -1000)
        return 0;
    if (x == 5 && fibonacci(x) == 5)
        reach_error();
    return 0;
}
