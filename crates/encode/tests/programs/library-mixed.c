// Library functions whose formulas are exact, on values that the solver may choose.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
void *memcpy(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
int memcmp(const void *, const void *, unsigned long);
unsigned long strlen(const char *);
int strcmp(const char *, const char *);
char *strcpy(char *, const char *);
char *strcat(char *, const char *);
char *strchr(const char *, int);
void *malloc(unsigned long);
int abs(int);
int toupper(int);

struct pair {
  char tag;
  int values[3];
};

int main(void) {
  struct pair a = {0}, b;
  a.values[1] = __VERIFIER_nondet_int();
  memcpy(&b, &a, sizeof a);
  int copied = b.values[1] + abs(b.values[1]);
  memset(b.values, __VERIFIER_nondet_int(), sizeof b.values);
  int filled = b.values[2];
  memset(&b, 0, sizeof b);
  int zero = b.values[2];
  char text[8] = "";
  text[0] = toupper(__VERIFIER_nondet_uchar());
  text[1] = __VERIFIER_nondet_uchar();
  int length = strlen(text);
  char more[16] = "x";
  strcat(more, text);
  int total = strlen(more);
  int order = strcmp(more + 1, text);
  int found = strchr(more, 'x') == more;
  int blocks = memcmp(more, text, 2);
  int refused = malloc(__VERIFIER_nondet_ulong()) == 0;
  return copied + filled + zero + length + total + order + found + blocks + refused;
}
