//@ verdict: TRUE
// A Fibonacci number is at least its index less one.
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
    if (x < -1000 || x > 46)
        return 0;
    if (fibonacci(x) < x - 1)
        reach_error();
    return 0;
}
