//@ verdict: TRUE
//@ property: unreach-call
// What is asked is no call of an error function.
int main(void)
{
    int *p = 0;
    return *p;
}
