//@ verdict: TRUE
//@ today: UNKNOWN
// Multiplication by repeated addition does not care for the order of its arguments. (Nobody has to find the proof.)
void reach_error(void);
int __VERIFIER_nondet_int(void);

int mult(int n, int m)
{
    if (m < 0)
        return mult(n, -m);
    if (m == 0)
        return 0;
    return n + mult(n, m - 1);
}

int main(void)
{
    int m = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    if (m < 0 || m > 46340 || n < 0 || n > 46340)
        return 0;
    if (mult(m, n) != mult(n, m))
        reach_error();
    return 0;
}
