// Control flow of every kind.
#include <stdio.h>
static int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
static int even(int); static int odd(int n) { return n == 0 ? 0 : even(n - 1); } static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static void duff(char *to, const char *from, int count) {
  int n = (count + 7) / 8;
  switch (count % 8) { case 0: do { *to++ = *from++; case 7: *to++ = *from++; case 6: *to++ = *from++; case 5: *to++ = *from++;
    case 4: *to++ = *from++; case 3: *to++ = *from++; case 2: *to++ = *from++; case 1: *to++ = *from++; } while (--n > 0); }
}
static int classify(int c) { switch (c) { case '0' ... '9': return 1; case 'a' ... 'f': case 'A' ... 'F': return 2; default: return 0; case '-': return 3; } }
static int trace(int v) { printf("<%d>", v); return v; }
static int interp(const unsigned char *code) {
  static const void *ops[] = { &&halt, &&inc, &&dbl, &&jmp };
  int acc = 0, pc = 0;
  goto *ops[code[pc++]];
inc: acc++; goto *ops[code[pc++]];
dbl: acc *= 2; goto *ops[code[pc++]];
jmp: pc = code[pc]; goto *ops[code[pc++]];
halt: return acc;
}
static int counter(void) { static int n = 10; return n++; }
typedef int (*binop)(int, int);
static int plus(int a, int b) { return a + b; } static int minus(int a, int b) { return a - b; }
static binop pick(int w) { return w ? plus : minus; }
static int apply(binop f, int a, int b) { return f(a, b); }
static int kr(a, b) int a; char b; { return a * b; }
int main(void) {
  int s = 0;
  for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 8) break; s += i; }
  printf("%d\n", s);
  int i = 0; while (1) { if (++i > 5) break; } do i--; while (i > 2);
  printf("%d\n", i);
  for (int a = 0, b = 10; a < b; a++, b--) s += a * b;
  printf("%d %d %d %d\n", s, depth(100), even(10), odd(7));
  char buf[32] = { 0 }; duff(buf, "the quick brown fox", 19); printf("%s\n", buf);
  printf("%d%d%d%d%d\n", classify('7'), classify('b'), classify('E'), classify('-'), classify('z'));
  if ((trace(1) && trace(0)) || trace(2)) printf("yes"); if (!(trace(0) || trace(3)) || trace(4)) printf("also");
  int v1 = trace(0) ? trace(1) : trace(2), v2 = trace(5) ?: trace(6); printf("\n%d %d\n", v1, v2);
  int k = 0; again: if (k++ < 3) goto again; printf("%d\n", k);
  { int x = 1; { int x = 2; s = x; } s += x; } printf("%d\n", s);
  static const unsigned char code[] = { 1, 2, 1, 3, 6, 0, 2, 0 }; printf("%d\n", interp(code));
  int c1 = counter(), c2 = counter(), c3 = counter(); printf("%d %d %d\n", c1, c2, c3);
  printf("%d %d %d\n", pick(1)(5, 3), (*pick(0))(5, 3), apply(&plus, 1, 2));
  binop ops[] = { plus, minus, plus }; s = 0; for (int j = 0; j < 3; j++) s = ops[j](s, j + 1); printf("%d\n", s);
  printf("%d\n", kr(6, 7));
  int r = ({ int t = 4; for (int j = 0; j < 3; j++) t *= 2; t; }); printf("%d\n", r);
  goto inside; for (k = 0; k < 3; k++) { printf("x"); inside: printf("%c", 'a' + k % 26); } printf("\n");
  switch (sizeof(long)) { case 4: printf("long is 4\n"); break; case 8: printf("long is 8\n"); }
  int m[3] = { 1, 2, 3 }, *p = m; *p++ += 10; *p = *p++ + 0; printf("%d %d\n", m[0], (int)(p - m));
  i = 1; i += i++ * 0 + 2; unsigned u = 5; while (u --> 0) s += u; printf("%d\n", s);
  for (;;) { for (;;) { goto out; } } out:
  printf("%s %d\n", __func__, __builtin_expect(s == 12, 0));
  return 0;
}
