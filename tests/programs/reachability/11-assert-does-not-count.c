//@ property: reach_error.prp
//@ verdict: TRUE
#include <assert.h>
void reach_error(void);
int main(void)
{
    assert(0);
    reach_error();
}
