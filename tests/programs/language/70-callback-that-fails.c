//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
//@ args: --config value
// Nothing says that the function outside never calls back; that it does is no execution that could be shown.
extern void reach_error(void);
extern int walk(const char *path, int (*visit)(void *));

int seen;
int visit(void *entry) { seen = 1; return 0; }

int main(void) {
    walk(".", visit);
    if (seen) reach_error();
    return 0;
}
