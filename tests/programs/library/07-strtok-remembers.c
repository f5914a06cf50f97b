//@ verdict: FALSE(unreach-call)
//@ today: UNKNOWN
// The second call has no pointer to the text, and writes to it all the same.
extern void reach_error(void);
char *strtok(char *, const char *);
int main(void)
{
    char text[8] = "a,b,c";
    strtok(text, ",");
    strtok(0, ",");
    if (text[3] == 0)
        reach_error();
    return 0;
}
