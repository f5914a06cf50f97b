//@ verdict: TRUE
#include <assert.h>

volatile int ready;

int main(void)
{
    int rounds = 0;
    while (!ready)
        if (rounds < 100)
            rounds++;
    assert(rounds <= 100);
    return 0;
}
