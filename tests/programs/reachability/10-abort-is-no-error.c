//@ verdict: TRUE
#include <stdlib.h>
void reach_error(void);
int main(void)
{
    abort();
    reach_error();
}
