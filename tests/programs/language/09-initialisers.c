//@ verdict: FALSE(unreach-call)
void reach_error(void);
struct point { int x, y; };
static struct { struct point p[2]; const char *name; } table[] = {
    [1] = {{{1, 2}, [1].y = 4}, "one"},
    {.name = "zero", .p[0] = {9}},
};
int main(void)
{
    struct point q = (struct point){.y = 5};
    if (sizeof table / sizeof *table == 3 && table[1].p[1].y == 4 && table[1].p[1].x == 0 && table[2].p[0].x == 9
        && table[2].name[0] == 'z' && table[0].name == 0 && q.x + q.y == 5)
        reach_error();
    return 0;
}
