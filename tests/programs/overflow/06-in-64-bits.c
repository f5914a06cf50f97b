//@ property: no-overflow
//@ args: --32
//@ verdict: FALSE(no-overflow)
// `long` has 32 bits in this data model.
int main(void)
{
    long x = 2000000000l;
    return x + x > 0;
}
