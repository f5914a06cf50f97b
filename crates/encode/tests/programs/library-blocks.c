// Blocks of memory: records, arrays, bit-fields, overlapping ranges, allocation sizes.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long size_t;
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
void *malloc(size_t);
void *calloc(size_t, size_t);
int abs(int);

struct record {
  int a;
  char *name;
  short pair[2];
};
struct bits {
  unsigned low : 3;
  int high : 9;
};

int main(void) {
  struct record s, r;
  char text[4] = "abc";
  memset(&s, 0, sizeof s);
  s.a = __VERIFIER_nondet_int();
  s.name = text;
  s.pair[1] = s.a;
  memcpy(&r, &s, sizeof s);
  int a = r.a, pair = r.pair[1], same = r.name == text;
  struct bits b = {1, 2}, c;
  b.high = __VERIFIER_nondet_int();
  memcpy(&c, &b, sizeof b);
  int high = c.high;
  int *p = malloc(40), *q = malloc(40);
  memset(p, 0, 40);
  p[3] = a;
  memcpy(q, p, 40);
  int third = q[3] + q[9];
  memset(q, __VERIFIER_nondet_uchar(), 8);
  int filled = q[1];
  memmove(q + 1, q, 16);
  int moved = q[4];
  unsigned char bytes[6] = {1, 2, 3, 4, 5, 6};
  bytes[2] = __VERIFIER_nondet_uchar();
  memmove(bytes + 1, bytes, 4);
  int byte = bytes[3];
  int order = memcmp(bytes, "\001\001\002", 3);
  int large[300];
  memset(large, 0, sizeof large);
  int zero = large[299];
  int *n = calloc((size_t)__VERIFIER_nondet_int(), 4);
  int refused = n == 0;
  return a + pair + same + high + third + filled + moved + byte + order + zero + refused + abs(a);
}
