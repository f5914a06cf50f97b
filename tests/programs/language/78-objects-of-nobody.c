//@ verdict: TRUE
// An object that no file defines has some value, and keeps it.
extern void reach_error(void);
extern int level;
extern struct limits {
    int least, most;
} limits;

int main(void) {
    int before = level, least = limits.least;
    limits.most = 5;
    if (level != before || limits.least != least || limits.most != 5)
        reach_error();
    return 0;
}
