//@ args: --function check
//@ verdict: FALSE(unreach-call)
void reach_error(void);
void check(int x)
{
    if (x == 1)
        reach_error();
}
