//@ property: valid-memsafety
//@ verdict: FALSE(valid-deref)
//@ today: UNKNOWN
int main(void)
{
    char a[64], b[64];
    int *nothing = 0;
    char *one = a, *other = b;
    if ((unsigned long)one < (unsigned long)other)
        return 0;
    return ((unsigned long)one & 64) ? *nothing : 0;
}
