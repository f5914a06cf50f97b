//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
// What `mystery` does to `x` is not known, so a run through it is no proof that the error happens.
void mystery(int *p);
void reach_error(void);
int main(void)
{
    int x = 1;
    mystery(&x);
    if (x == 1)
        reach_error();
    return 0;
}
