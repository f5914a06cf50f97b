//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
void reach_error(void);
int main(void)
{
    int x = 1;
    __asm__ volatile("addl $1, %0" : "+r"(x));
    if (x == 2)
        reach_error();
    return 0;
}
