//@ verdict: FALSE(unreach-call)
// Writing a bit-field says nothing about the other bits of its byte.
extern void reach_error(void);
struct part {
    unsigned a : 3, b : 5;
};
int main(void)
{
    struct part s, t;
    s.a = 1;
    t = s;
    if (t.a == 1 && t.b == s.b && s.b == 9)
        reach_error();
    return 0;
}
