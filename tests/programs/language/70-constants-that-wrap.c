//@ verdict: FALSE(unreach-call)
// Where C wants a constant, what overflows wraps around, as gcc evaluates it.
extern void reach_error(void);
enum { TOP = 1 << 31, NEXT };
struct flags {
    char used[(TOP < 0) + 2];
};
int x = TOP;

int main(void) {
    switch (x) {
    case 1 << 31:
        if (TOP < 0 && NEXT == -2147483647 && sizeof(struct flags) == 3)
            reach_error();
    }
    return 0;
}
