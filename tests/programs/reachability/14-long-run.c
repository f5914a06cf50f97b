//@ verdict: FALSE(unreach-call)
void reach_error(void);
int main(void)
{
    unsigned long sum = 0;
    for (unsigned i = 0; i <= 100000; i++)
        sum += i;
    if (sum == 5000050000ul)
        reach_error();
    return 0;
}
