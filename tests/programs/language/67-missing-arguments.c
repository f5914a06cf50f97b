//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
//@ property: unreach-call
// Called with nothing, the parameter has any value; the call is not nothing.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int set;
void store(int value) { set = 1; }

int main(void) {
    void (*call)() = store;
    int k = __VERIFIER_nondet_int();
    if (k < 0 && k * k == 1234321) call();
    if (set) reach_error();
    return 0;
}
