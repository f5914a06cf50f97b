//@ verdict: FALSE(unreach-call)
//@ args: --function check --globals any
#include <assert.h>

static int level = 3;

void raise_level(void)
{
    level++;
}

void check(void)
{
    assert(level == 3);
}
