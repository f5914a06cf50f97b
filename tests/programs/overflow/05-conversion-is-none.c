//@ property: no-overflow
//@ verdict: TRUE
int main(void)
{
    long long big = 5000000000ll;
    int small = big;
    signed char c = 200;
    return small + c;
}
