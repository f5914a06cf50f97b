//@ verdict: FALSE(unreach-call)
void reach_error(void);
struct flags {
    unsigned a : 3;
    signed b : 4;
    unsigned long long c : 40;
};
int main(void)
{
    struct flags f = {.a = 7, .b = -8, .c = 1ull << 39};
    f.a++;
    f.b--;
    f.c <<= 1;
    if (f.a == 0 && f.b == 7 && f.c == 0)
        reach_error();
    return 0;
}
