//@ verdict: TRUE
unsigned __VERIFIER_nondet_uint(void);
void reach_error(void);
int main(void)
{
    unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;
    while (x < n) {
        x++;
        y++;
    }
    if (x != y)
        reach_error();
    return 0;
}
