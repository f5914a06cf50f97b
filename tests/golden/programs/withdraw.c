extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int balance = 10;

int withdraw(int amount) {
  if (amount > balance + 1)
    return 0;
  balance -= amount;
  return 1;
}

int main(void) {
  withdraw(__VERIFIER_nondet_int());
  if (balance == -1)
    reach_error();
  return 0;
}
