//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
extern void reach_error(void);
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
    long tm_gmtoff;
    const char *tm_zone;
};
struct tm *localtime(const long *);
int main(void)
{
    long early = 0, late = 100000000;
    struct tm *p = localtime(&early);
    p->tm_year = 5;
    localtime(&late);
    if (p->tm_year != 5)
        reach_error();
    return 0;
}
