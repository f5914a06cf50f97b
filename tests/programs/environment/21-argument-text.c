//@ verdict: FALSE(unreach-call)
#include <assert.h>
#include <string.h>

int main(int argc, char *argv[])
{
    if (argc == 2)
        assert(strcmp(argv[1], "-v") != 0);
    return 0;
}
