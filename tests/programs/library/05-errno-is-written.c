//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
extern void reach_error(void);
int *__errno_location(void);
double sqrt(double);
#define errno (*__errno_location())
int main(void)
{
    double x = -1;
    errno = 0;
    x = sqrt(x);
    if (errno != 0)
        reach_error();
    return 0;
}
