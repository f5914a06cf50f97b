//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
/* Where objects lie is for the compiler to choose, so one execution says nothing. */
extern void reach_error(void);
union Word {
    int *pointer;
    unsigned long number;
};

int object;

int main(void)
{
    union Word word;
    word.pointer = &object;
    if (word.number & 4)
        reach_error();
    return 0;
}
