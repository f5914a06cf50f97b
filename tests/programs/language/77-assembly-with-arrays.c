//@ verdict: TRUE
// Arrays may be memory operands of assembly: inputs keep their values, outputs have any.
extern void reach_error(void);

int main(void) {
    unsigned long out[2] = {1, 2}, in[2] = {3, 4};
    __asm__ volatile("movq %1, %%rax; movq %%rax, %0" : "=m"(out) : "m"(in) : "rax");
    __asm__ volatile("" : "+m"(out) : "m"(*(const char(*)[])in) : "memory");
    if (in[0] != 3 || in[1] != 4)
        reach_error();
    return 0;
}
