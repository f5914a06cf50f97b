//@ verdict: FALSE(unreach-call)
// What allocated memory holds is not determined, and a pointer among it may be valid.
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void reach_error(void);
struct cipher { int id; unsigned long algorithms; };
struct session { int state; unsigned options; double rate; struct cipher *cipher; };
int main(void)
{
    int *count = malloc(sizeof *count);
    struct session *s = malloc(sizeof *s);
    *count = __VERIFIER_nondet_int();
    s->state = *count + 1;
    if (s->state == 4711) {
        if (s->cipher->algorithms & 256)
            return 0;
        if ((s->options & 0xff00) == 0x2a00 && s->rate == 0.5)
            reach_error();
    }
    return 0;
}
