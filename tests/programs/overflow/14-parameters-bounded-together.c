//@ property: no-overflow
//@ verdict: TRUE
// What one parameter gains the other one loses: only their sum is bounded.
int __VERIFIER_nondet_int(void);
int pour(int from, int into)
{
    if (from <= 0)
        return into;
    return pour(from - 1, into + 1);
}
int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || b < 0 || a > 900000000 || b > 900000000)
        return 0;
    return pour(a, b) >= 0;
}
