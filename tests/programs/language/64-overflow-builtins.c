//@ verdict: TRUE
// The typed builtins convert their arguments first; the predicates know the width of a bit-field.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct bits {
    unsigned three : 3;
} bits;

int main(void) {
    unsigned long sum;
    unsigned product;
    long long difference;
    int b = -1, x = __VERIFIER_nondet_int();
    if (__builtin_uaddl_overflow(1, b, &sum) != 1 || sum != 0) reach_error();
    if (__builtin_add_overflow(1, b, &sum) || sum != 0) reach_error();
    if (__builtin_umul_overflow(x, 1, &product) || product != (unsigned)x) reach_error();
    if (__builtin_mul_overflow(0xffffffffffffffffULL, 0xffffffffffffffffULL, &difference) != 1) reach_error();
    if (__builtin_add_overflow_p(3, 4, bits.three) || !__builtin_add_overflow_p(4, 4, bits.three)) reach_error();
    if (__builtin_sub_overflow_p(0, 1, (signed char)0) || !__builtin_sub_overflow_p(0, 1, 0u)) reach_error();
    if (x >= 0 && __builtin_clrsb(x) < 0 || __builtin_clrsb(-1) != 31 || __builtin_clrsb(1) != 30) reach_error();
    return 0;
}
