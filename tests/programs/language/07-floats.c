//@ verdict: FALSE(unreach-call)
void reach_error(void);
int main(void)
{
    double third = 1.0 / 3.0;
    float narrow = third;
    volatile double zero = 0.0;
    double nan = zero / zero;
    if (narrow != third && nan != nan && (int)-2.9 == -2 && 0.1 + 0.2 > 0.3)
        reach_error();
    return 0;
}
