//@ verdict: FALSE(unreach-call)
// Constructors run before `main`: by priority, then as they are defined; destructors the other way round, also when the program calls `exit`.
#include <stdlib.h>
extern void reach_error(void);
int order[16], n;

__attribute__((constructor)) void c1(void) { order[n++] = 1; }
static void c2(void) __attribute__((constructor));
__attribute__((constructor(200))) void c3(void) { order[n++] = 3; }
__attribute__((constructor(150))) void c4(void) { order[n++] = 4; }
static void c2(void) { order[n++] = 2; }

__attribute__((destructor(150))) void d0(void) {
    static const int want[] = {4, 3, 1, 2, 9, 22, 21, 23};
    if (n != 8)
        return;
    for (int i = 0; i < 8; i++)
        if (order[i] != want[i])
            return;
    reach_error();
}
__attribute__((destructor)) void d1(void) { order[n++] = 21; }
__attribute__((destructor)) void d2(void) { order[n++] = 22; }
__attribute__((destructor(200))) void d3(void) { order[n++] = 23; }

void deep(void) {
    order[n++] = 9;
    exit(3);
}

int main(void) {
    deep();
    order[n++] = 99;
    return 0;
}
