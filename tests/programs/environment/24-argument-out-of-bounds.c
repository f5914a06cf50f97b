//@ verdict: FALSE(valid-deref)
//@ property: valid-memsafety
#include <string.h>

int main(int argc, char **argv)
{
    char name[4];
    if (argc > 1)
        strcpy(name, argv[1]);
    return 0;
}
