// Strings in objects of small known size, with characters that the solver may choose.
extern char __VERIFIER_nondet_char(void);
typedef unsigned long size_t;
size_t strlen(const char *);
size_t strnlen(const char *, size_t);
char *strdup(const char *);
char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int);
char *strrchr(const char *, int);
size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);
char *strpbrk(const char *, const char *);
void *memchr(const void *, int, size_t);
void *malloc(size_t);
int toupper(int);
int isalnum(int);
int isxdigit(int);
int iscntrl(int);

struct named {
  int number;
  char name[8];
};

int main(void) {
  char t[8];
  for (int i = 0; i < 5; i++)
    t[i] = __VERIFIER_nondet_char();
  t[5] = 'a';
  t[6] = 0;
  t[7] = 'z';
  size_t n = strlen(t);
  size_t m = strnlen(t, n / 2);
  char *copy = strdup("hello");
  int second = copy[1];
  char *h = malloc(12);
  strcpy(h, t);
  int first = h[0], last = h[n];
  strncpy(h, "abc", 6);
  int filled = h[5];
  struct named s = {1};
  strcpy(s.name, "xyz");
  strncat(s.name, t, 2);
  int third = s.name[2], fourth = s.name[3], fifth = s.name[4], number = s.number;
  char buffer[16] = "q";
  strcat(buffer, t);
  strcat(buffer, "!");
  int end = strlen(buffer);
  int order = strcmp(t, "b") < 0;
  int prefix = strncmp(buffer + 1, t, 3);
  int spans = strcspn(t, "ab") + strspn(t, "ab");
  char *member = strpbrk(t, "xy");
  int at = member ? (int)(member - t) : -1;
  char *right = strrchr(t, 'a');
  int from_right = right ? (int)(right - t) : -1;
  char *left = strchr(t, 'a');
  int from_left = left ? (int)(left - t) : -1;
  char *zero = strchr(t, 0);
  int ends = zero - t;
  int has = memchr(t, 'k', 8) != 0;
  int classes = toupper(t[0]) + isalnum(t[1]) + isxdigit(t[2]) + iscntrl(t[3]);
  return n + m + second + first + last + filled + third + fourth + fifth + number + end + order + prefix + spans + at +
         from_right + from_left + ends + has + classes;
}
