//@ verdict: FALSE(unreach-call)
// Another file of the program chooses what its objects hold.
extern void reach_error(void);
extern int level;
extern struct limits {
    int least, most;
} limits;

int main(void)
{
    if (level == 7 && limits.most == 0)
        reach_error();
    return 0;
}
