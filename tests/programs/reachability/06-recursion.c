//@ verdict: FALSE(unreach-call)
void reach_error(void);
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
int main(void)
{
    if (fibonacci(15) == 610)
        reach_error();
    return 0;
}
