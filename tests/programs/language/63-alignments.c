//@ verdict: TRUE
//@ args: --32
// `_Alignof` is what every object has, `__alignof__` what objects of their own get.
extern void reach_error(void);

struct members {
    char c;
    long long x;
    double y __attribute__((aligned(16)));
} s;
int strict __attribute__((aligned(32)));

int main(void) {
    if (_Alignof(long long) != 4 || _Alignof(double) != 4 || _Alignof(long double) != 4) reach_error();
    if (__alignof__(long long) != 8 || __alignof__(double) != 8 || __alignof__(long long[3]) != 8) reach_error();
    if (__alignof__(s.x) != 4 || __alignof__(s.y) != 16 || __alignof__(strict) != 32) reach_error();
    if (__alignof__(struct members) != 16 || __alignof__(struct { long long x; }) != 4) reach_error();
    return 0;
}
