//@ property: valid-memsafety
//@ verdict: FALSE(valid-deref)
static int *leak(void)
{
    int local = 3;
    int *p = &local;
    return p;
}
int main(void)
{
    return *leak();
}
