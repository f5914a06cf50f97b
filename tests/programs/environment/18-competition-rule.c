//@ verdict: TRUE
//@ property: reach.prp
// In the competition volatile objects are memory.
extern void reach_error(void);

volatile int flag;

int main(void)
{
    flag = 1;
    if (flag != 1)
        reach_error();
    return 0;
}
