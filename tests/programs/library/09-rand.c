//@ verdict: FALSE(unreach-call)
extern void reach_error(void);
int rand(void);
int main(void)
{
    int a = rand();
    if (a < 0)
        return a / 0;
    if (a == 12345)
        reach_error();
    return 0;
}
