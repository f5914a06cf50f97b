//@ verdict: FALSE(unreach-call)
#include <assert.h>

int main(int argc, char **argv, char **envp)
{
    (void)argc;
    (void)argv;
    if (envp[0])
        assert(envp[0][0] != 'H');
    return 0;
}
