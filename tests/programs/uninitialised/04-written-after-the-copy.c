//@ verdict: FALSE(unreach-call)
extern void reach_error(void);
void *malloc(unsigned long);
struct part {
    int a;
};
int main(void)
{
    struct part *s = malloc(sizeof *s), t = *s;
    s->a = 4;
    if (t.a != s->a)
        reach_error();
    return 0;
}
