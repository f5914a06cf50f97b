// Integer types, conversions, promotions, shifts, division.
#include <stdio.h>
#include <limits.h>
enum big { A = -5, B, C = 40, D = 1 << 20 };
enum unsigned_one { X = 0x80000000u };
typedef unsigned char u8;
static int sign(long long v) { return v < 0 ? -1 : v > 0; }
int main(void) {
  signed char c = -128;
  u8 u = 255;
  unsigned short us = 65535;
  short s = -32768;
  int i = INT_MIN;
  unsigned n = UINT_MAX;
  long l = LONG_MAX;
  unsigned long long q = ULLONG_MAX;
  printf("%d %d %d %d\n", c, u, us, s);
  printf("%d %d %d\n", c - 1, u + 1, us * 2 < 0);
  printf("%u %d\n", n + 1u, i == -2147483647 - 1);
  printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
  printf("%d %d\n", -1 < 1u, (short)70000);
  printf("%d %d %d\n", (signed char)200, (u8)-1, (unsigned short)-2);
  printf("%lld %llu\n", (long long)n * 7, q / 3);
  printf("%d %d %d\n", -16 >> 2, 1 << 30, 0xF0 >> 4);
  printf("%u %u\n", 0xF0000000u >> 28, 1u << 31);
  printf("%d %d\n", (int)sizeof(long), (int)sizeof('a'));
  printf("%d %d %d %d\n", A, B, C, D);
  printf("%d %d\n", (int)sizeof(enum big), (int)sizeof(enum unsigned_one));
  printf("%d\n", (enum unsigned_one)-1 > 0);
  printf("%d %d %d\n", sign(-3), sign(0), sign(9));
  printf("%ld %d\n", l, l + 0ul > 0);
  _Bool b = 256;
  b += 5;
  printf("%d %d\n", b, (_Bool)0.5);
  c++; c--; --u; u++; us++;
  printf("%d %u %u\n", c, u, us);
  i = 5;
  i = i * 2 + (i > 5);
  printf("%d\n", i);
  printf("%d %d\n", 'A', '\377');
  printf("%d %d %d\n", 0x7fffffff, 017, 0b101);
  printf("%lu %llu\n", 4294967295ul, 18446744073709551615ull);
  printf("%d\n", 2147483648 > 0);
  printf("%d\n", ~0u == UINT_MAX);
  printf("%d\n", (1, 2, 3));
  unsigned x = 3; int y = -5;
  printf("%u %d\n", x + y, (int)(x + y) / 2);
  printf("%d %d\n", !5, !!5);
  u8 arr[4] = {1, 2, 3, 4};
  int k = 0;
  arr[k++] += 10; arr[k++] <<= 7; arr[k++] ^= 0xff; arr[k] -= 5;
  printf("%d %d %d %d\n", arr[0], arr[1], arr[2], arr[3]);
  long long big = 1;
  for (int j = 0; j < 62; j++) big *= 2;
  printf("%lld %lld\n", big, -big - (big - 1));
  return 0;
}
