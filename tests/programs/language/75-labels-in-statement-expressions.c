//@ verdict: FALSE(unreach-call)
// A statement expression may end in a label; with an expression behind it, that is the value.
extern void reach_error(void);

int main(void) {
    int v = 3;
    ({
        if (v == 3)
            goto out;
        v = 9;
    out:;
    });
    int w = ({
        if (v == 3)
            goto last;
        v = 8;
    last:
        v + 1;
    });
    if (v == 3 && w == 4)
        reach_error();
    return 0;
}
