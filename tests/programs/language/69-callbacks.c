//@ verdict: TRUE
// Code outside may call what it was given, as often as it likes, with anything.
extern void reach_error(void);
struct handlers {
    int count;
    void (*step)(int);
};
extern void subscribe(struct handlers *);

int steps, secret;
void step(int n) { steps = steps + 2; }
void hidden(int n) { secret = 1; }
struct handlers all = {1, step};

int main(void) {
    void (*own)(int) = hidden;
    subscribe(&all);
    if (steps % 2 != 0 || secret) reach_error();
    own(1);
    if (!secret) reach_error();
    return 0;
}
