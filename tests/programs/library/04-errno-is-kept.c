//@ verdict: TRUE
extern void reach_error(void);
int *__errno_location(void);
char *strcpy(char *, const char *);
#define errno (*__errno_location())
int main(void)
{
    char text[4];
    if (errno != 0)
        reach_error();
    errno = 5;
    strcpy(text, "abc");
    if (errno != 5)
        reach_error();
    return 0;
}
