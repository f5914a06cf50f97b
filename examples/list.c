// A list that is freed in the wrong order: `summa verify --property valid-memsafety examples/list.c`
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *head = NULL;
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        if (node == NULL)
            abort();
        node->value = i;
        node->next = head;
        head = node;
    }
    while (head != NULL) {
        free(head);
        head = head->next;
    }
    return 0;
}
