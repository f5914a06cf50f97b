//@ verdict: TRUE
// A union makes one pointer of another; who is called is known all the same.
extern void reach_error(void);

int set;
void two(int a, int b) { set = 7; }
union {
    void (*two)(int, int);
    void (*one)(int);
} pointer;

int main(void) {
    pointer.two = two;
    pointer.one(1);
    if (set != 7) reach_error();
    return 0;
}
