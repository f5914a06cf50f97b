// A lock is neither taken twice nor given back twice, however often the work has to be done again. Which loop invariant says why?
void reach_error(void);
int __VERIFIER_nondet_int(void);

static int held;

static void lock(void)
{
    if (held)
        reach_error();
    held = 1;
}

static void unlock(void)
{
    if (!held)
        reach_error();
    held = 0;
}

int main(void)
{
    unsigned requests = 0, served;
    do {
        lock();
        served = requests;
        if (__VERIFIER_nondet_int()) { // another request came in
            unlock();
            requests++;
        }
    } while (served != requests);
    unlock();
    return 0;
}
