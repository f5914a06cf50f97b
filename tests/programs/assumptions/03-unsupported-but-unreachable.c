//@ verdict: FALSE(unreach-call)
void reach_error(void);
static int never(void)
{
    void *target = &&here;
    goto *target;
here:
    return 0;
}
int main(void)
{
    int x = 0;
    if (x)
        return never();
    reach_error();
    return 0;
}
