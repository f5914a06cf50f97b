//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
int main(void)
{
    int x = 2147483647;
    return x + 1;
}
