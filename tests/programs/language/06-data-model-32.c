//@ args: --32
//@ verdict: FALSE(unreach-call)
void reach_error(void);
struct s { char c; long long l; };
int main(void)
{
    if (sizeof(long) == 4 && sizeof(void *) == 4 && sizeof(long double) == 12 && sizeof(struct s) == 12)
        reach_error();
    return 0;
}
