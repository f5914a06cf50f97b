//@ verdict: TRUE
// Two functions that call each other: what both say of a number.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int is_odd(int n);

int is_even(int n)
{
    if (n == 0)
        return 1;
    if (n == 1)
        return 0;
    return is_odd(n - 1);
}

int is_odd(int n)
{
    if (n == 0)
        return 0;
    if (n == 1)
        return 1;
    return is_even(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    int result = is_odd(n);
    if (result < 0 || result > 1)
        reach_error();
    return 0;
}
