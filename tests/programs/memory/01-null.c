//@ property: valid-memsafety
//@ verdict: FALSE(valid-deref)
int main(void)
{
    int *p = 0;
    return *p;
}
