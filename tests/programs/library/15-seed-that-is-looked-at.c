//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
extern void reach_error(void);
long time(long *);
void srand(unsigned);
int rand(void);

int main(void)
{
    long now = time(0);
    srand((unsigned)now);
    if (now == 7 && rand() == 3)
        reach_error();
    return 0;
}
