//@ verdict: TRUE
// McCarthy's function: 91 up to 101, ten less than the argument beyond.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int f91(int x)
{
    if (x > 100)
        return x - 10;
    return f91(f91(x + 11));
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 0)
        return 0;
    int result = f91(x);
    if (result != 91 && (x <= 101 || result != x - 10))
        reach_error();
    return 0;
}
