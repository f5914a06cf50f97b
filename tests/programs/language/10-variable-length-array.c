//@ verdict: FALSE(unreach-call)
void reach_error(void);
static int fill(int n)
{
    int a[n][2];
    for (int i = 0; i < n; i++)
        a[i][0] = i, a[i][1] = -i;
    return a[n - 1][0] + (int)(sizeof a / sizeof(int));
}
int main(void)
{
    if (fill(5) == 14 && fill(3) == 8)
        reach_error();
    return 0;
}
