//@ verdict: FALSE(unreach-call)
void reach_error(void);
int main(void)
{
    unsigned char c = 250;
    unsigned u = 0;
    c += 10;
    u -= 1;
    if (c == 4 && u == 4294967295u)
        reach_error();
    return 0;
}
