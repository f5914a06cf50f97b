//@ property: valid-memsafety
//@ verdict: TRUE
/* Both pointers lead into one object, so where that lies does not matter. */
static unsigned long length(const char *text)
{
    const char *at = text;
    while (*at)
        at++;
    return (unsigned long)((long)at - (long)text);
}

int main(void)
{
    char copy[6];
    const char *text = "hello";
    for (unsigned long i = 0; i <= length(text); i++)
        copy[i] = text[i];
    return copy[5];
}
