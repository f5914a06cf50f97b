//@ verdict: TRUE
//@ time: 30
// The towers of Hanoi: the number of moves by a formula and by counting them.
void reach_error(void);
int __VERIFIER_nondet_int(void);

int moves = 0;

int hanoi(int n)
{
    if (n == 1)
        return 1;
    return 2 * hanoi(n - 1) + 1;
}

void move_tower(int n, int from, int to, int via)
{
    if (n == 0)
        return;
    moves++;
    move_tower(n - 1, from, via, to);
    move_tower(n - 1, via, to, from);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 31)
        return 0;
    moves = 0;
    move_tower(n, 1, 3, 2);
    if (hanoi(n) != moves)
        reach_error();
    return 0;
}
