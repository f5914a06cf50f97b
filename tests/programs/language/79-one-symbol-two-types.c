//@ verdict: FALSE(unreach-call)
// Two names of C for one symbol, as headers have them for large files: each with a type of its own.
extern void reach_error(void);
struct narrow {
    long size;
};
struct wide {
    long size;
};
extern int look(const char *name, struct narrow *result) __asm__("look64");
extern int look64(const char *name, struct wide *result);

int main(int argc, char **argv) {
    struct narrow a;
    struct wide b;
    if (argc > 1000)
        return look("x", &a) + look64("x", &b);
    reach_error();
    return 0;
}
