//@ verdict: FALSE(unreach-call)
#include <assert.h>

struct device {
    int mode;
    volatile unsigned status : 3;
};
static struct device uart = {1, 2};

int main(void)
{
    struct device *d = &uart;
    assert(d->mode == 1);
    unsigned status = d->status;
    assert(status < 8);
    assert(d->status == 2);
    return 0;
}
