//@ verdict: TRUE
// What a constructor has written is there in `main`; `_exit` runs no destructor.
#include <unistd.h>
extern void reach_error(void);
static int ready;

__attribute__((constructor)) static void prepare(void) { ready = 1; }
__attribute__((destructor)) static void never(void) { reach_error(); }

int main(void) {
    if (ready != 1)
        reach_error();
    _exit(0);
}
