//! How many bytes a second the parser takes, lexing included: on the largest files of the task set, if it is
//! there, and on a large file made of repeated functions.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::PathBuf;
use summa_base::Interner;
use summa_syntax::SourceMap;
use summa_syntax::parse;

const LARGEST: usize = 5;

fn parse_text(text: &str) -> usize {
    let mut source = SourceMap::new();
    let Ok(file) = source.add("bench.c", text.to_owned()) else {
        return 0;
    };
    let (ast, diagnostics) = parse(&mut source, file, &mut Interner::new());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    ast.exprs.len()
}

/// The largest files of the task set.
fn largest_tasks() -> Vec<String> {
    let mut files: Vec<(u64, PathBuf)> = summa_testkit::task_files()
        .into_iter()
        .map(|path| (path.metadata().map_or(0, |data| data.len()), path))
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    files.iter().take(LARGEST).filter_map(|(_, path)| std::fs::read_to_string(path).ok()).collect()
}

/// About 4 MB of ordinary code.
fn large_text() -> String {
    let mut text =
        String::from("typedef struct node { struct node *next; unsigned long key, flags : 3; } node_t;\n");
    for i in 0..10_000 {
        text += &format!(
            "static int lookup_{i}(const node_t *head, unsigned long key, int *result)\n\
             {{\n    int steps = 0;\n    \
             for (const node_t *n = head; n != (void *)0; n = n->next) {{\n        /* compare */\n        \
             if (n->key == key && (n->flags & 0x{i:x}u) != 0) {{\n            *result = steps * 2 + \
             {i};\n            \
             return 1;\n        }} else if (steps > {i} + 100) {{\n            break;\n        }}\n        \
             steps++;\n    }}\n    \
             return lookup_{i}(head, key >> 1, result);\n}}\n\n"
        );
    }
    text
}

fn throughput(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    let tasks = largest_tasks();
    if !tasks.is_empty() {
        group.throughput(Throughput::Bytes(tasks.iter().map(|text| text.len() as u64).sum()));
        group.bench_function("largest tasks", |bencher| {
            bencher.iter(|| tasks.iter().map(|text| parse_text(black_box(text))).sum::<usize>());
        });
    }
    let text = large_text();
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.sample_size(20);
    group.bench_function("large file", |bencher| bencher.iter(|| parse_text(black_box(&text))));
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
