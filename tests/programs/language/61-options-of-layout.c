//@ verdict: TRUE
//@ args: -fshort-enums -fms-extensions -fwrapv
// Options that change layouts and members are obeyed.
#include <assert.h>

enum small { A, B = 255 };
enum negative { C = -1, D = 127 };
enum wide { E = 256 };
struct point { int x, y; };
typedef union { int whole; char part; } value;
struct named { struct point; value; int z; };

int main(void)
{
    assert(sizeof(enum small) == 1 && sizeof(enum negative) == 1 && sizeof(enum wide) == 2);
    struct named n = { .x = 1, .y = 2, .whole = 3, .z = 4 };
    assert(sizeof n == 16 && n.x + n.y + n.part + n.z == 10);
    return 0;
}
