extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int clamp(int x) {
  if (x < 0)
    return 0;
  return x;
}

int main(void) {
  if (clamp(__VERIFIER_nondet_int()) < 0)
    reach_error();
  return 0;
}
