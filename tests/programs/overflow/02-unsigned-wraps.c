//@ property: no-overflow
//@ verdict: TRUE
int main(void)
{
    unsigned x = 4294967295u;
    x = x + 1;
    unsigned char c = 255;
    c++; /* computed in int, converted back */
    return (int)x + c;
}
