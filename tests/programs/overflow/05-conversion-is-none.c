//@ property: no-overflow
//@ verdict: TRUE
//@ today: UNKNOWN
int main(void)
{
    long long big = 5000000000ll;
    int small = big;
    signed char c = 200;
    return small + c;
}
