// 128-bit integers, on 64-bit targets only.
#include <stdio.h>
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;
static void show(u128 v) { printf("%016llx%016llx\n", (unsigned long long)(v >> 64), (unsigned long long)v); }
int main(void) {
  u128 a = (u128)0xfedcba9876543210ull << 64 | 0x0123456789abcdefull;
  __int128 n = -5;
  show(a); show(a * 3); show(a / 12345); show(a % 12345); show(a >> 3); show(a << 5); show(~a); show(a + a);
  show((u128)(n / 2)); show((u128)(n % 3)); show((u128)(n >> 1)); show((u128)(n * n));
  printf("%d %d %d\n", a > 1, n < 0, (u128)n > a);
  printf("%.3f %.3f\n", (double)a, (double)n);
  struct { __int128 v; char c; } s = { 7, 'x' };
  printf("%d %d\n", (int)sizeof s, (int)(s.v + s.c));
  show((u128)1e30);
  return 0;
}
#else
int main(void) { printf("none\n"); return 0; }
#endif
