//@ verdict: FALSE(unreach-call)
// The type of the last operand counts, without promotion; its effects happen.
extern void reach_error(void);

int main(void) {
    int a = 2147483647, calls = 0;
    if (!__builtin_add_overflow_p(a, 1, (int)0) || __builtin_add_overflow_p(a, 1, 0L))
        return 1;
    if (!__builtin_mul_overflow_p(a, 2, (int)0) || !__builtin_sub_overflow_p(0, 1, 0u))
        return 2;
    if (!__builtin_add_overflow_p(100, 28, (signed char)0) || __builtin_add_overflow_p(100, 27, (signed char)0))
        return 3;
    if (__builtin_add_overflow_p(a, 0, calls++) || calls != 1)
        return 4;
    reach_error();
    return 0;
}
