//@ verdict: FALSE(unreach-call)
// The same statement reads other parts of fresh memory each time.
#include <stdlib.h>
void reach_error(void);
struct table { int of[3]; };
int main(void)
{
    struct table *t = malloc(sizeof *t);
    int fits = 0;
    for (int j = 0; j < 3; j++) {
        if (t->of[j] == 50 * j + 7)
            fits++;
    }
    if (fits == 3)
        reach_error();
    return 0;
}
