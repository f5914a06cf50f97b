// Structs, unions, bit-fields, layout, passing by value, initialisers.
#include <stdio.h>
#include <stddef.h>
#include <string.h>
struct point { int x, y; };
struct mixed { char c; long long q; short s; double d; char t; };
struct bits { unsigned a : 3; int b : 5; unsigned : 0; unsigned c : 17; unsigned long long d : 40; _Bool e : 1; signed char f : 4; };
struct __attribute__((packed)) tight { char c; int i; short s; };
struct flex { int n; short data[]; };
struct outer { struct { int a; union { int b; float f; }; }; struct point p[2]; };
union word { unsigned u; unsigned char b[4]; struct { unsigned lo : 16, hi : 16; } h; };
static struct point add(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
static struct mixed make(int n) { struct mixed m = { n, n * 2LL, n * 3, n / 2.0, 'z' }; return m; }
static struct outer table[] = { [1] = { .a = 5, .b = 6, .p = { [1] = { 7, 8 } } }, [0].p[0].y = 9 };
struct big { int v[20]; };
static struct big fill(int seed) { struct big b; for (int i = 0; i < 20; i++) b.v[i] = seed * i; return b; }
int main(void) {
  printf("%d %d %d %d %d\n", (int)sizeof(struct mixed), (int)offsetof(struct mixed, q), (int)offsetof(struct mixed, s), (int)offsetof(struct mixed, d), (int)offsetof(struct mixed, t));
  printf("%d %d %d %d\n", (int)sizeof(struct bits), (int)sizeof(struct tight), (int)offsetof(struct tight, s), (int)sizeof(struct flex));
  struct point p = add((struct point){ 1, 2 }, (struct point){ .y = 40, .x = 30 });
  printf("%d %d\n", p.x, p.y);
  struct mixed m = make(21), m2;
  m2 = m; m2.q++;
  printf("%d %lld %d %g %c %lld\n", m.c, m.q, m.s, m.d, m.t, m2.q);
  struct bits b; memset(&b, 0, sizeof b);
  b.a = 13; b.b = -9; b.c = 0x1ffff; b.d = 0xfedcba9876ull; b.e = 5; b.f = 9;
  printf("%d %d %d %llx %d %d\n", b.a, b.b, b.c, (unsigned long long)b.d, b.e, b.f);
  unsigned char raw[sizeof b]; memcpy(raw, &b, sizeof b);
  for (unsigned i = 0; i < sizeof b; i++) printf("%02x", raw[i]);
  printf("\n%d %d\n", b.a - 6 < 0, (b.b = 20));
  b.a++; b.c += 5; b.b--;
  printf("%d %d %d\n", b.a, b.c, b.b);
  printf("%d %d %d %d %d\n", table[0].p[0].y, table[1].a, table[1].b, table[1].p[1].x, (int)(sizeof table / sizeof *table));
  union word w = { 0x12345678 };
  printf("%x %x %x %x\n", w.b[0], w.b[3], w.h.lo, w.h.hi);
  w.b[1] = 0xff; printf("%x\n", w.u);
  struct big big = fill(3);
  printf("%d %d %d\n", big.v[19], fill(2).v[7], fill(1).v[0]);
  struct point arr[3] = { { 1 }, { .y = 2 }, 3, 4 };
  for (int i = 0; i < 3; i++) printf("%d,%d ", arr[i].x, arr[i].y);
  char s1[] = "hello", s2[10] = "hi", s3[3] = "abc"; const char *s4 = "a" "b" "\x63\0d";
  printf("\n%d %d %c %d %s\n", (int)sizeof s1, s2[5], s3[2], (int)sizeof "x\0y", s4);
  struct point *q = &arr[1]; q->x = 77; (*q).y = 78; (q + 1)->x--;
  printf("%d %d %d %d\n", arr[1].x, arr[1].y, arr[2].x, (int)(q - arr));
  struct { int n; struct point pts[2]; } nest = { 1, { { 2, 3 }, { 4, 5 } } }, copy = nest;
  copy.pts[1].y = 50;
  printf("%d %d\n", nest.pts[1].y, copy.pts[1].y);
  int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }; int (*row)[3] = grid + 1;
  printf("%d %d %d\n", (*row)[1], grid[1][-1], *(*grid + 4));
  int z[6] = { 1, [4] = 5, 6, [1] = 2, [2 ... 3] = 9 };
  for (int i = 0; i < 6; i++) printf("%d ", z[i]);
  printf("\n%d\n", (int)_Alignof(struct mixed));
  volatile struct point vp = { 1, 2 }; vp.x += vp.y;
  printf("%d\n", vp.x);
  return 0;
}
