//@ verdict: TRUE
//@ today: UNKNOWN
extern void reach_error(void);
int rand(void);
void srand(unsigned);
int main(void)
{
    srand(3);
    int a = rand();
    srand(3);
    if (a != rand())
        reach_error();
    return 0;
}
