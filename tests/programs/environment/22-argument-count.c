//@ verdict: FALSE(unreach-call)
#include <assert.h>

int main(int argc, char **argv)
{
    (void)argv;
    assert(argc != 70000);
    return 0;
}
