//@ verdict: FALSE(unreach-call)
#include <stdarg.h>
void reach_error(void);
static long sum(int count, ...)
{
    va_list list;
    long total = 0;
    va_start(list, count);
    for (int i = 0; i < count; i++)
        total += i % 2 ? va_arg(list, long) : va_arg(list, int);
    va_end(list);
    return total;
}
int main(void)
{
    if (sum(4, 1, 20l, (char)3, 40l) == 64)
        reach_error();
    return 0;
}
