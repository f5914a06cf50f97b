//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
extern void reach_error(void);
int *__errno_location(void);
double sqrt(double);
int main(void)
{
    int *kept = __errno_location();
    double x = -1;
    *kept = 0;
    x = sqrt(x);
    if (*kept != 0)
        reach_error();
    return 0;
}
