//@ verdict: TRUE
//@ today: UNKNOWN
// A union makes one pointer of another; who is called is known all the same.
extern void reach_error(void);

int set;
void two(int a, int b) { set = 7; }
void one(int a) { set = a; }
union {
    void (*two)(int, int);
    void (*one)(int);
} pointer;

int main(void) {
    pointer.two = two;
    pointer.one(1);
    if (set != 7) reach_error();
    void (*other)(int) = one;
    other(3);
    if (set != 3) reach_error();
    return 0;
}
