//@ verdict: FALSE(unreach-call)
// Pointers from outside may be valid, and lead to different objects.
extern void *__VERIFIER_nondet_pointer(void);
void reach_error(void);
int main(void)
{
    int *p = __VERIFIER_nondet_pointer();
    int *q = __VERIFIER_nondet_pointer();
    if (p == 0 || q == 0 || p == q) {
        return 0;
    }
    *p = 3;
    *q = 4;
    if (*p + *q == 7) {
        reach_error();
    }
    return 0;
}
