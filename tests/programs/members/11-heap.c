//@ verdict: FALSE(unreach-call)
// Members of an allocated object.
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

extern void *malloc(unsigned long);
struct node {
    char name[4];
    struct node *next;
    int value;
};

int main(void)
{
    struct node *list = 0;
    for (int i = 0; i < 2; i++) {
        struct node *new = malloc(sizeof(struct node));
        new->next = list;
        new->value = 1;
        list = new;
    }
    int k = __VERIFIER_nondet_int(), i = 0;
    if (k * 2654435761u == 305419896u)
        i = 16;
    list->name[i] = 7;
    assert(list->value == 1);
    return 0;
}
