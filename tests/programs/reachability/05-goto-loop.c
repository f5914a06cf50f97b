//@ verdict: FALSE(unreach-call)
void reach_error(void);
int main(void)
{
    int i = 0;
again:
    i += 7;
    if (i % 10 == 3)
        goto error;
    if (i < 1000)
        goto again;
    return 0;
error:
    reach_error();
}
