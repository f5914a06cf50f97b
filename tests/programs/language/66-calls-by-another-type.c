//@ verdict: FALSE(unreach-call)
// A pointer to a function without declared parameters fits all functions.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int set;
void store(int value) { set = value; }

int main(void) {
    void (*call)() = store;
    int k = __VERIFIER_nondet_int();
    if (k < 0 && k * k == 1234321) call(1);
    if (set) reach_error();
    return 0;
}
