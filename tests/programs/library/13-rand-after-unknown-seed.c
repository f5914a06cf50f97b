//@ verdict: FALSE(unreach-call)
extern void reach_error(void);
long time(long *);
void srand(unsigned);
int rand(void);

int main(void)
{
    srand((unsigned)time(0));
    if (rand() == 12345)
        reach_error();
    return 0;
}
