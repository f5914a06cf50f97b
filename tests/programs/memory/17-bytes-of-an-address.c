//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
extern void reach_error(void);

int main(void)
{
    char object[64];
    char *pointer = object;
    unsigned char *bytes = (unsigned char *)&pointer;
    if (bytes[0] & 16)
        reach_error();
    return 0;
}
