extern void reach_error(void);

int main(void) {
  int x = 0, y = 0;
  while (x < 3) {
    x++;
    y++;
    if (x != y)
      reach_error();
  }
  return 0;
}
