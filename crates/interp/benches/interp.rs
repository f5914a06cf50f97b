//! Edges per second on tight loops, and the cost of a short run.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use summa_c::types::DataModel;
use summa_interp::{End, Policy, Program, Zeros};

const PROGRAMS: &[(&str, &str)] = &[
    (
        "sum",
        "int main(void) { unsigned s = 0; int n = 1000000; for (int i = 0; i < n; i++) s += i; \
         return s & 1; }",
    ),
    (
        "array",
        "int a[1000]; int main(void) { int s = 0; for (int k = 0; k < 500; k++)
            for (int i = 0; i < 1000; i++) { a[i] = a[i] + i; s ^= a[i]; } return s & 1; }",
    ),
    (
        "pointers",
        "int main(void) { char b[4096]; int s = 0; for (int k = 0; k < 100; k++) {
            for (char *p = b; p != b + 4096; p++) *p = (char)k; for (int i = 0; i < 4096; i++) s += b[i]; }
            return s & 1; }",
    ),
    (
        "calls",
        "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } \
         int main(void) { return fib(24) & 1; }",
    ),
    (
        "floats",
        "int main(void) { double x = 0; for (int i = 0; i < 300000; i++) x = x * 0.5 + i; return x > 1; }",
    ),
    ("short run", "int g; int main(void) { g = 1; return g - 1; }"),
];

fn programs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("run");
    group.sample_size(20);
    for &(name, source) in PROGRAMS {
        let Ok(loaded) = summa_c::load_text("bench.c", source, DataModel::Lp64) else {
            panic!("{name} does not load")
        };
        let Ok(cfa) = summa_transform::build(loaded.program, &summa_cfa::BuildOptions::default()) else {
            panic!("{name} has no automaton")
        };
        let program = Program::new(&cfa);
        let policy = Policy::reachability();
        let outcome = summa_interp::run(&program, &mut Zeros, &policy);
        assert!(matches!(outcome.end, End::Returned(_)), "{name}: {:?}", outcome.end);
        group.throughput(Throughput::Elements(outcome.steps));
        group.bench_function(name, |bencher| {
            bencher.iter(|| summa_interp::run(&program, &mut Zeros, &policy))
        });
    }
    group.finish();
}

criterion_group!(benches, programs);
criterion_main!(benches);
