//@ verdict: FALSE(unreach-call)
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int set;
void real(void) { set = 1; }
static void reference(void) __attribute__((weakref("real")));
extern void alias(void) __attribute__((alias("real")));

int main(void) {
    if (alias != real) return 1;
    int k = __VERIFIER_nondet_int();
    if (k < 0 && k * k == 1234321) reference();
    if (set) reach_error();
    return 0;
}
