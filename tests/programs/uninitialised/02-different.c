//@ verdict: FALSE(unreach-call)
extern void reach_error(void);
struct part {
    int a, b;
};
int main(void)
{
    struct part s, t = s;
    if (t.a == s.a && t.b == s.b && t.a != t.b)
        reach_error();
    return 0;
}
