//@ verdict: FALSE(valid-deref)
// Nothing was asked, and the program runs into undefined behaviour.
int main(void)
{
    int *p = 0;
    return *p;
}
