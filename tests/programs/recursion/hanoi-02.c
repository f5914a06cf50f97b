//@ verdict: TRUE
// Moving a tower takes at least one move.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int hanoi(int n)
{
    if (n == 1)
        return 1;
    return 2 * hanoi(n - 1) + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 31)
        return 0;
    if (hanoi(n) < 1)
        reach_error();
    return 0;
}
