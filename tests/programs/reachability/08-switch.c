//@ verdict: FALSE(unreach-call)
char __VERIFIER_nondet_char(void);
void reach_error(void);
int main(void)
{
    int state = 0;
    for (int i = 0; i < 4; i++) {
        switch (__VERIFIER_nondet_char()) {
        case 0:
            state++;
            break;
        case 1 ... 3:
            state += 2; /* falls through */
        default:
            state += 3;
        }
    }
    if (state == 4)
        reach_error();
    return 0;
}
