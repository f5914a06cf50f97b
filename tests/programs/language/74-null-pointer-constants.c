//@ verdict: FALSE(unreach-call)
// `c ? (void *)0 : p` has the type of `p`, but only if the zero is a constant expression.
extern void reach_error(void);
#define IS_CONSTANT(x) _Generic((1 ? ((void *)((long)(x) * 0l)) : (int *)1), int *: 1, void *: 0)

int main(void) {
    int v = 3;
    if (!IS_CONSTANT(5) || IS_CONSTANT(v))
        return 1;
    if (!_Generic(v ? 0 : (char *)0, char *: 1, default: 0))
        return 2;
    if (!_Generic(v ? (void *)0 : (char *)0, char *: 1, default: 0))
        return 3;
    if (!_Generic(v ? (void *)&v : (char *)0, void *: 1, default: 0))
        return 4;
    reach_error();
    return 0;
}
