// An account from which one can only take money: the balance never grows. Or does it?
#include <assert.h>

int __VERIFIER_nondet_int(void); // any int: an input

static int balance = 100;

static int withdraw(int amount)
{
    if (amount > balance)
        return 0;
    balance = balance - amount;
    return amount;
}

int main(void)
{
    for (int customer = 0; customer < 3; customer++)
        withdraw(__VERIFIER_nondet_int());
    assert(balance <= 100);
    return 0;
}
