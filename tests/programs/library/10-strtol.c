//@ verdict: TRUE
extern void reach_error(void);
long strtol(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
int atoi(const char *);
#define check(x)           \
    do {                   \
        if (!(x))          \
            reach_error(); \
    } while (0)
int main(void)
{
    char *end;
    check(strtol(" -0x1fz", &end, 0) == -31 && *end == 'z');
    check(strtol("99999999999999999999", &end, 10) == 9223372036854775807L && *end == 0);
    check(strtol("none", &end, 10) == 0 && *end == 'n');
    check(strtoul("-1", 0, 10) == -1UL && atoi("12x") == 12 && strtol("077", 0, 0) == 63);
    return 0;
}
