//@ property: valid-memsafety
//@ verdict: FALSE(valid-deref)
//@ today: UNKNOWN
/* Where the text ends depends on bytes that the execution must choose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = malloc(20);
    memcpy(text, "hello", 5);
    printf("%s\n", text);
    free(text);
    return 0;
}
