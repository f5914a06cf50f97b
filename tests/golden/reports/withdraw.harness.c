/* Written by summa: the inputs of an execution that violates the property.
 *
 * Compile and run:
 *   gcc -m64 -w -g -O0 -fgnu89-inline -fwrapv -fno-builtin -x c golden.out withdraw.c -x none -Wl,--unresolved-symbols=ignore-all -no-pie -lm -o golden && ./golden
 *
 * It prints "summa: error reached" and ends with exit code 107.
 */
extern long __write(int, const void *, unsigned long);
extern void _exit(int) __attribute__((noreturn)), exit(int) __attribute__((noreturn));
#define QUIET __attribute__((no_instrument_function))

QUIET static void summa_end(const char *message, int code) {
  unsigned long length = 0;
  while (message[length]) length++;
  if (__write(2, message, length) < 0) code = 1;
  _exit(code);
}

QUIET static void summa_error(void) {
  summa_end("summa: error reached\n", 107);
}
QUIET void reach_error() { summa_error(); }

QUIET int __VERIFIER_nondet_int() {
  static unsigned long next = 0;
  static int const values[] = {
    11,
  };
  if (next == 1) summa_end("summa: no input is left for __VERIFIER_nondet_int\n", 108);
  return values[next++];
}

