// GNU extensions and C11 in expressions and declarations.
#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <stdlib.h>
#define max(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define kind(x) _Generic((x), int: "int", double: "double", char *: "string", unsigned long: "ul", default: "other")
#define container_of(p, T, m) ((T *)((char *)(p)-offsetof(T, m)))
struct item { int a; long b; char c[3]; };
_Static_assert(sizeof(int) == 4, "int");
static __inline__ __attribute__((always_inline, unused)) int twice(int x) { return 2 * x; }
typedef int vec __attribute__((aligned(16)));
struct aligned { char c; int x __attribute__((aligned(8))); } __attribute__((aligned(32)));
enum { Q = sizeof(struct { char c; double d; }) };
typedef struct { unsigned char op; uint16_t arg; } __attribute__((packed)) insn;
extern int declared_only; int tentative; int tentative = 4; int tentative;
static int $dollar = 9;
__extension__ typedef unsigned long long int wide;
int (*(*returns_fp(int x))(int))[3];
static int arr3[3] = { 7, 8, 9 };
static int (*give(int i))[3] { (void)i; return &arr3; }
int (*(*returns_fp(int x))(int))[3] { (void)x; return give; }
int main(void) {
  printf("%d %s %s %s %s\n", max(3, 4), kind(1), kind(1.0), kind("x"), kind(1ul));
  struct item it = { 1, 2, "ab" }; long *pb = &it.b; printf("%d\n", container_of(pb, struct item, b)->a);
  printf("%d %d %d %d\n", twice(4), (int)sizeof(vec), (int)_Alignof(vec), (int)sizeof(struct aligned));
  printf("%d %d %d\n", (int)Q, (int)sizeof(insn), $dollar + tentative);
  printf("%d\n", (*returns_fp(1)(2))[1]);
  int x = 5; __auto_type y = x + 1.5; printf("%g\n", y);
  printf("%d %d %d\n", __builtin_clz(1), __builtin_ctz(8), __builtin_popcount(255));
  printf("%x %llx\n", __builtin_bswap32(0x12345678), (unsigned long long)__builtin_bswap64(1));
  int r, o = __builtin_add_overflow(2147483647, 1, &r); printf("%d %d\n", o, r); o = __builtin_mul_overflow(1000, 1000, &r); printf("%d %d\n", o, r);
  printf("%d %d\n", __builtin_constant_p(3), __builtin_types_compatible_p(int, unsigned));
  printf("%d\n", __builtin_choose_expr(1, 10, "no"));
  int *lit = (int[]){ 1, 2, 3 }; lit[1] = 20; printf("%d %d\n", lit[1], (int)(sizeof((int[]){ 1, 2, 3 }) / sizeof(int)));
  struct item *ip = &(struct item){ .c = "z" }; printf("%c %d\n", ip->c[0], ip->a);
  { __label__ skip; if (x) goto skip; printf("not here\n"); skip:; }
  wide w = (wide)1 << 40; printf("%llu %s\n", w, __FUNCTION__);
  const char *str = L"wide"[2] == 'd' ? "yes" : "no"; printf("%s %d\n", str, (int)sizeof(L"ab"));
  printf("%d\n", sizeof(char[x]) == 5); typeof(int[3]) ta = { 1, 2, 3 }; printf("%d\n", ta[2]);
  int sw = 0; switch (x) { int hidden; case 5: hidden = 3; sw = hidden; } printf("%d\n", sw);
  union { struct { uint8_t a, b; }; uint16_t both; } un = { .both = 0x0201 }; printf("%d %d\n", un.a, un.b);
  void *vp = &x; printf("%d\n", *(int *)(vp + 0)); static char zeros[3]; printf("%d\n", zeros[1]);
  printf("%d %d\n", __alignof__(double) > 3, (int)offsetof(struct item, c[2]));
  unsigned ten = 10; printf("%d\n", -1 < (int)ten && -1 > ten);
  uint32_t h = 2166136261u; for (const char *c = "fnv"; *c; c++) h = (h ^ *c) * 16777619u; printf("%u\n", h);
  printf("%d\n", ((struct item){ 3, 4, "" }).a + abs(-4)); __sync_fetch_and_add(&x, 3); printf("%d\n", x);
  int a = 1, b = 2; a ^= b ^= a ^= b; (void)0; printf("%d\n", b); register int reg = 3; printf("%d\n", reg << 1);
  long long mixed = 1 ? -1 : 0u; printf("%lld\n", mixed); exit(x == 8 ? 0 : 1);
}
