//@ verdict: TRUE
//@ args: -funsigned-char -Wall -O2 -g
// Plain `char` is unsigned: in objects, literals, constants, conversions; and still a type of its own.
#include <assert.h>
#include <limits.h>

char __VERIFIER_nondet_char(void);

int main(void)
{
    char c = __VERIFIER_nondet_char();
    assert(c >= 0);
    assert(CHAR_MIN == 0 && CHAR_MAX == 255);
    assert('\xff' == 255 && "\xff"[0] == 255 && (char)-1 == 255);
    assert(_Generic(c, unsigned char: 1, signed char: 2, char: 3, default: 4) == 3);
    struct { char bits : 3; } s = { 7 };
    assert(s.bits == 7);
    return 0;
}
