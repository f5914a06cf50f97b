//@ verdict: FALSE(unreach-call)
void reach_error(void);
union word {
    unsigned whole;
    unsigned char bytes[4];
};
int main(void)
{
    union word w = {0x11223344};
    float one = 1.0f;
    unsigned bits;
    __builtin_memcpy(&bits, &one, sizeof bits);
    if (w.bytes[0] == 0x44 && bits == 0x3f800000)
        reach_error();
    return 0;
}
