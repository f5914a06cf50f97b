//! Whole runs over programs of many functions, from the text to the confirmed proof: four times as many
//! functions should take about four times as long.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use summa_testkit::{Calls, Footprint, ManyFunctions, generate_many_functions};
use summa_verify::{DataModel, Program, Property, Settings, Verdict};

const SIZES: [usize; 3] = [100, 400, 1600];

fn is_proved(text: &str) -> bool {
    let found = Program::from_source("many.c", text, DataModel::Lp64)
        .and_then(|program| program.verify(&Property::default(), &Settings::default()));
    found.is_ok_and(|found| matches!(found.verdict(), Verdict::Safe(_)))
}

fn many_functions(c: &mut Criterion) {
    for calls in [Calls::Chain, Calls::Tree, Calls::Random] {
        for footprint in
            [Footprint::Nothing, Footprint::OwnGlobals, Footprint::SharedGlobal, Footprint::Pointer]
        {
            let mut group = c.benchmark_group(format!("{calls:?}, {footprint:?}"));
            group.sample_size(10);
            // Contracts name every global below them: with one for each function they grow with the square.
            let most = if matches!(footprint, Footprint::OwnGlobals) { 400 } else { usize::MAX };
            for functions in SIZES.into_iter().filter(|&functions| functions <= most) {
                let how = ManyFunctions { calls, footprint, functions, is_safe: true };
                let text = generate_many_functions(&how);
                group.bench_function(BenchmarkId::from_parameter(functions), |b| {
                    b.iter(|| assert!(is_proved(black_box(&text)), "{how:?}"));
                });
            }
            group.finish();
        }
    }
}

criterion_group!(benches, many_functions);
criterion_main!(benches);
