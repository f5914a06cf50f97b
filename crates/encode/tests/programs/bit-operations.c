// Bit operations on values that are not constant, where the integer encoding has exact terms.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  int x = __VERIFIER_nondet_int();
  unsigned u = __VERIFIER_nondet_uint();
  unsigned char c = __VERIFIER_nondet_uchar(), d = __VERIFIER_nondet_uchar();
  int left = x << c, right = x >> c, logical = u >> (d & 31);
  unsigned one = 1u << u;
  int both = x & c, either = x | c, one_of = x ^ d;
  unsigned few = c & d, many = c | u, odd = d ^ u;
  int mask = x & -(c > d), choice = u ^ (c ? 0xff00 : 0x0f);
  int counts = __builtin_popcount(c) + __builtin_ffs(x) + __builtin_ctz(u | 1) + __builtin_clz(u | 1);
  unsigned swapped = __builtin_bswap32(u);
  return left + right + logical + one + both + either + one_of + few + many + odd + mask + choice + counts + swapped;
}
