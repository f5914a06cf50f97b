//@ verdict: TRUE
//@ today: UNKNOWN
//@ property: unreach-call
// The division ends the only execution, so the call behind it is never reached.
void reach_error(void);
int main(void)
{
    int zero = 0;
    int x = 1 / zero;
    if (x == x)
        reach_error();
    return 0;
}
