// The average of two numbers as it stood in many libraries: `summa verify --property no-overflow examples/average.c`
int __VERIFIER_nondet_int(void);

static int average(int low, int high)
{
    return (low + high) / 2;
}

int main(void)
{
    return average(__VERIFIER_nondet_int(), __VERIFIER_nondet_int());
}
