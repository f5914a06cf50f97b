//@ verdict: FALSE(unreach-call)
void reach_error(void);
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
int main(void)
{
    int i = 3;
    int m = max(i++, 2);
    if (m == 3 && i == 4 && (0 ?: 7) == 7)
        reach_error();
    return 0;
}
