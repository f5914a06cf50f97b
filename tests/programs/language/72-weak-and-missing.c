//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
// The address of a weak function that nobody defines is null.
extern void reach_error(void);
#pragma weak hook
extern void hook(void);

int main(void) {
    if (!hook) reach_error();
    return 0;
}
