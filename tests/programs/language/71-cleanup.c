//@ verdict: FALSE(unreach-call)
// Whenever control leaves the scope of a variable with `cleanup`, its function is called: by the end of the block, `break`, `return`, gotos
// to places before, behind and inside; the value of a `return` is there before.
extern void reach_error(void);
int order[64], n;

void note(int *p) { order[n++] = *p; }
#define NOTED __attribute__((cleanup(note)))

int leave(int k) {
    NOTED int a = 1;
    {
        NOTED int b = 2;
        if (k == 1)
            return a + b + n;
        {
            int keep = 5;
            if (k == 2)
                goto inside;
            keep = 6;
        inside:
            order[n++] = 100 + keep;
        }
        if (k == 3)
            goto out;
    }
    order[n++] = 50;
out:
    order[n++] = 51;
    return n;
}

void back(void) {
    int i = 0;
again:;
    NOTED int x = i + 10;
    if (i++ < 2)
        goto again;
}

int choose(int k) {
    for (int i = 0; i < 2; i++) {
        NOTED int in_loop = 60 + i;
        if (k == 0)
            continue;
        break;
    }
    switch (k) {
    case 0: {
        NOTED int q = 3;
        break;
    }
    case 1: {
        NOTED int q = 4;
    }
    default:;
        NOTED int z = 7;
    }
    return ({
        NOTED int s = 9;
        s + 1;
    });
}

int main(void) {
    static const int want[] = {2, 1, 105, 2, 50, 51, 1, 106, 2, 51, 1, 10, 11, 12, 60, 61, 3, 9, 60, 4, 7, 9, 60, 7, 9};
    int first = leave(1);
    leave(2);
    leave(3);
    back();
    int last = choose(0);
    choose(1);
    choose(2);
    if (first != 3 || last != 10 || n != sizeof want / sizeof *want)
        return 1;
    for (int i = 0; i < n; i++)
        if (order[i] != want[i])
            return 2;
    reach_error();
    return 0;
}
