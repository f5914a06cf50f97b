//@ verdict: TRUE
//@ today: UNKNOWN
// Whether 1.0/3.0 is computed by the compiler or by the program depends on its options.
extern void reach_error(void);
int fesetround(int);
int main(void)
{
    fesetround(0x800);
    double x = 1.0 / 3.0, y = 1.0 / 3.0;
    if (x != y)
        reach_error();
    return 0;
}
