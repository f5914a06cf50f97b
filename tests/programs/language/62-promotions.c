//@ verdict: TRUE
// Values of equal narrow types are promoted by `?:`; bit-fields wider than int compute in exactly their width.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern long long __VERIFIER_nondet_longlong(void);

struct wide {
    unsigned long long u : 33;
    long long s : 40;
} w;

int main(void) {
    short a = 32767, b = 1;
    int c = __VERIFIER_nondet_int();
    __typeof__(c ? a : b) sum = a;
    sum = sum + b;
    if (sum != 32768 || sizeof(c ? (char)1 : (char)2) != sizeof(int)) reach_error();
    w.u = __VERIFIER_nondet_longlong();
    w.s = __VERIFIER_nondet_longlong();
    if ((w.u << 1) > 0x1ffffffffULL || ~w.u > 0x1ffffffffULL) reach_error();
    if (w.u == 0x1ffffffffULL && w.u + 1 != 0) reach_error();
    if (w.s == 0x7fffffffffLL && w.s + 1 != -0x8000000000LL) reach_error();
    if (w.u == 0x1ffffffffULL && (unsigned long long)w.u + 1 != 0x200000000ULL) reach_error();
    return 0;
}
