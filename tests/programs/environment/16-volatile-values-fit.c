//@ verdict: TRUE
// Any value, but one of the type; what is read once stays.
#include <assert.h>

struct device {
    int mode;
    volatile unsigned status : 3;
    volatile int level : 4;
};
static struct device uart;
volatile unsigned char port;

int main(void)
{
    struct device *d = &uart;
    d->mode = 4;
    unsigned status = d->status;
    int level = d->level;
    unsigned value = port;
    assert(status < 8 && level >= -8 && level < 8 && value < 256 && d->mode == 4);
    assert((status & 7) == status);
    return 0;
}
