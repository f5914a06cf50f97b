//@ args: --64
//@ verdict: FALSE(unreach-call)
void reach_error(void);
int main(void)
{
    if (sizeof(long) == 8 && sizeof(void *) == 8 && sizeof(long double) == 16)
        reach_error();
    return 0;
}
