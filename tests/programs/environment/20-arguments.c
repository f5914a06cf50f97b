//@ verdict: TRUE
// As many strings as the number says, and then a null.
#include <assert.h>

int main(int argc, char **argv)
{
    assert(argc >= 0);
    assert(argv[argc] == 0);
    return 0;
}
