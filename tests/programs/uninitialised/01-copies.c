//@ verdict: TRUE
// Indeterminate bytes keep their value: copied, they are the same bytes.
extern void reach_error(void);
void *malloc(unsigned long);
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
struct part {
    int a;
    char c;
    unsigned bits : 3, more : 5;
    union {
        int i;
        unsigned char bytes[4];
    } u;
};
#define check(x)           \
    do {                   \
        if (!(x))          \
            reach_error(); \
    } while (0)
static struct part same(struct part p)
{
    return p;
}
static struct part fresh(void)
{
    struct part p;
    return p;
}
int main(void)
{
    struct part s, t, many[2];
    s.a = 3;
    s.bits = 5;
    t = same(s);
    memcpy(&many[1], &t, sizeof t);
    memmove(many, many + 1, sizeof t);
    struct part *heap = malloc(2 * sizeof *heap);
    heap[1] = many[0];
    check(heap[1].a == 3 && heap[1].bits == 5);
    check(heap[1].c == s.c && t.c == s.c && many[0].c == many[1].c);
    check(heap[1].more == s.more && heap[1].u.bytes[2] == s.u.bytes[2] && heap[1].u.i == t.u.i);
    heap[0] = heap[1];
    check(heap[0].u.i == s.u.i);
    struct part p = fresh(), q = p;
    check(p.a == q.a);
    s.c = 1;
    check(t.c == heap[1].c);
    int i, j = i;
    check(i == j);
    return 0;
}
