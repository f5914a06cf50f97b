// Heap, strings, varargs, VLAs, alloca, pointers to everything.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <ctype.h>
struct node { int v; struct node *next; };
static struct node *push(struct node *h, int v) { struct node *n = malloc(sizeof *n); n->v = v; n->next = h; return n; }
static int sum(int n, ...) { va_list ap, aq; va_start(ap, n); va_copy(aq, ap); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); for (int i = 0; i < n; i++) s += 100 * va_arg(aq, int); va_end(aq); va_end(ap); return s; }
static void mixed(const char *f, ...) { va_list ap; va_start(ap, f); for (; *f; f++) switch (*f) { case 'i': printf("%d ", va_arg(ap, int)); break; case 'd': printf("%g ", va_arg(ap, double)); break; case 's': printf("%s ", va_arg(ap, char *)); break; case 'l': printf("%lld ", va_arg(ap, long long)); break; } va_end(ap); printf("\n"); }
static int vla(int n, int m, int a[n][m]) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j]; return s; }
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void sort(int *a, int n, int (*f)(const void *, const void *)) { for (int i = 1; i < n; i++) for (int j = i; j > 0 && f(a + j - 1, a + j) > 0; j--) { int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; } }
int main(void) {
  struct node *h = NULL; for (int i = 0; i < 5; i++) h = push(h, i * i);
  int t = 0; for (struct node *n = h; n; n = n->next) t = t * 10 + n->v; printf("%d\n", t);
  while (h) { struct node *n = h->next; free(h); h = n; }
  int *a = calloc(4, sizeof *a); a[2] = 7; a = realloc(a, 8 * sizeof *a); a[7] = 1; printf("%d %d %d\n", a[0], a[2], a[7]); free(a);
  printf("%d\n", sum(3, 1, 2, 3)); mixed("idslf", 1, 2.5, "str", 1LL << 40);
  int n = 3; int grid[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) grid[i][j] = i * j; printf("%d %d %d\n", vla(n, n + 1, grid), (int)sizeof grid, (int)sizeof grid[0]);
  char *s = __builtin_alloca(20); strcpy(s, "alloca"); strcat(s, " works"); printf("%s %d\n", s, (int)strlen(s));
  char buf[16]; memset(buf, 'x', sizeof buf); strncpy(buf, "ab", 5); printf("%d %c\n", buf[4], buf[5]);
  printf("%d %d %d\n", strcmp("abc", "abd") < 0, strncmp("abcd", "abxx", 2), memcmp("a\0b", "a\0c", 3) < 0);
  printf("%s %s %d\n", strchr("hello", 'l'), strrchr("hello", 'l'), strchr("hello", 'z') == NULL);
  printf("%s %d %d\n", strstr("haystack", "st"), (int)strspn("aabbc", "ab"), (int)strcspn("hello", "l"));
  memmove(buf + 1, buf, 5); printf("%c%c%c\n", buf[0], buf[1], buf[2]);
  int v[] = { 5, 2, 9, 1 }; sort(v, 4, cmp); for (int i = 0; i < 4; i++) printf("%d ", v[i]); printf("\n");
  int x = 5, *p = &x, **pp = &p; **pp = 6; printf("%d %d\n", x, *pp == &x);
  unsigned char *bytes = (unsigned char *)&x; printf("%d %d\n", bytes[0], bytes[3]);
  long addr = (long)p; int *back = (int *)addr; *back = 8; printf("%d\n", x);
  char out[64]; int len = snprintf(out, sizeof out, "%5d|%-5d|%05d|%x|%#x|%o|%c|%s|%.2s|%%|%u", 42, 42, 42, 255, 255, 8, 'c', "str", "string", 7u); printf("%d %s\n", len, out);
  sprintf(out, "%ld %lu %lld %hhd %hd %zu %+d % d %*d %.*f", 1L, 2UL, 3LL, (char)300, (short)70000, sizeof(int), 5, 6, 4, 7, 2, 1.5); printf("%s\n", out);
  printf("%d%d%d %c%c\n", isdigit('5') != 0, isalpha('5') != 0, isspace(' ') != 0, toupper('a'), tolower('Z'));
  const char *names[] = { "zero", "one", [3] = "three" }; for (int i = 0; i < 4; i++) printf("%s ", names[i] ? names[i] : "null"); printf("\n");
  int (*fp)(const char *) = puts; fp("through a pointer");
  struct node on_stack[2] = { { 1, &on_stack[1] }, { 2, NULL } }; printf("%d\n", on_stack->next->v);
  void *vp = v; vp = (char *)vp + sizeof(int); printf("%d %d\n", *(int *)vp, (int)((int *)vp - v));
  printf("%d %d\n", &v[1] < &v[2], &v[3] - &v[0] == 3);
  char *dup = strdup("copy"); dup[0] = 'C'; printf("%s\n", dup); free(dup);
  double *dv = malloc(3 * sizeof *dv); dv[0] = 1; dv[1] = 2; dv[2] = dv[0] + dv[1]; printf("%g\n", dv[2]); free(dv);
  return 3;
}
