//@ verdict: TRUE
//@ property: unreach-call
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), old = x, expected = 5, seen;
    if (__sync_val_compare_and_swap(&x, 5, 6) != old || x != (old == 5 ? 6 : old)) reach_error();
    x = old;
    if (__atomic_compare_exchange_n(&x, &expected, 7, 0, 5, 5) != (old == 5)) reach_error();
    if (expected != (old == 5 ? 5 : old) || x != (old == 5 ? 7 : old)) reach_error();
    __atomic_load(&x, &seen, 5);
    if (seen != x || __sync_bool_compare_and_swap(&seen, x + 1, 0)) reach_error();
    char flag = 0;
    if (__atomic_test_and_set(&flag, 5) || !__atomic_test_and_set(&flag, 5) || flag != 1) reach_error();
    return 0;
}
