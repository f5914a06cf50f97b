//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
// The linker puts objects of a section together, between two symbols of its own.
extern void reach_error(void);
int entry __attribute__((section("table"))) = 1;
extern int __start_table[], __stop_table[];

int main(void) {
    for (int *at = __start_table; at < __stop_table; at++) {
        if (*at) reach_error();
    }
    return 0;
}
