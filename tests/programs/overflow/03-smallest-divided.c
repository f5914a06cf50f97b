//@ property: no-overflow
//@ verdict: FALSE(no-overflow)
int main(void)
{
    int smallest = -2147483647 - 1, minus_one = -1;
    return smallest / minus_one;
}
