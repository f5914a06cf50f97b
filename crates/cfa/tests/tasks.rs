//! Every task of the benchmark set becomes automata that verify. The set is found through `SUMMA_TASKS` or beside the
//! workspace; without it there is nothing to test. `SUMMA_TASKS_STEP=1` takes all tasks instead of every tenth.

use std::path::PathBuf;
use summa_c::load::{LoadOptions, load};
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Op, build};

#[test]
fn tasks_become_automata() {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/bench/public");
    let root = PathBuf::from(std::env::var("SUMMA_TASKS").unwrap_or_else(|_| beside.to_string()));
    let Ok(manifest) = std::fs::read_to_string(root.join("manifest.csv")) else {
        eprintln!("skipped: no tasks at {}", root.display());
        return;
    };
    let step = std::env::var("SUMMA_TASKS_STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(10);
    let mut inputs: Vec<(&str, DataModel)> = manifest
        .lines()
        .skip(1)
        .filter_map(|row| {
            let columns: Vec<&str> = row.split(',').collect();
            let model = if columns.get(5)? == &"LP64" { DataModel::Lp64 } else { DataModel::Ilp32 };
            Some((*columns.get(1)?, model))
        })
        .collect();
    inputs.dedup();
    let (mut edges, mut unread, mut broken) = (0, Vec::new(), Vec::new());
    for &(input, model) in inputs.iter().step_by(step) {
        let loaded = match load(&[root.join(input)], &LoadOptions::new(model)) {
            Ok(loaded) => loaded,
            Err(failure) => {
                let message = failure.diagnostics.first().map_or(String::new(), |d| d.message.clone());
                unread.push(format!("{input}: {message}"));
                continue;
            }
        };
        match build(loaded.program, &BuildOptions::default()) {
            Ok(cfa) => {
                edges += cfa.edges.len();
                for edge in cfa.edges.values() {
                    if let Op::Unsupported { what } = &edge.op {
                        eprintln!("{input}: unsupported: {what}");
                    }
                    edge.op.text(&cfa.program);
                }
            }
            Err(error) => broken.push(format!("{input}: {error}")),
        }
    }
    eprintln!("{} tasks, {edges} edges, {} unread", inputs.len().div_ceil(step), unread.len());
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(unread.is_empty(), "{}", unread.join("\n"));
}
