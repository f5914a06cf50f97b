//@ verdict: FALSE(unreach-call)
void reach_error(void);
static int trace;
static int mark(int digit)
{
    trace = trace * 10 + digit;
    return digit;
}
int main(void)
{
    int sum = mark(1) + mark(2) * (mark(3) && mark(4));
    if (sum == 3 && trace == 1234)
        reach_error();
    return 0;
}
