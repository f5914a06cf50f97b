//! What the two truth tests share: where programs come from, and values of runs as values of terms.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

pub(crate) mod random_program;
pub(crate) mod recording;
pub(crate) mod replaying;

use std::path::{Path, PathBuf};
use summa_c::types::DataModel;
use summa_c::{LoadOptions, load};
use summa_cfa::{BuildOptions, Cfa};
use summa_term::{FloatSort, Sort, Value as Constant};

pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub(crate) fn read(path: &Path, model: DataModel) -> Option<Cfa> {
    let Ok(loaded) = load(&[path.to_path_buf()], &LoadOptions::new(model)) else {
        eprintln!("skipped: {} cannot be read here", path.display());
        return None;
    };
    summa_cfa::build(loaded.program, &BuildOptions::default()).ok()
}

/// The programs of the conformance suite and those that were the cause of a repair, or of another folder
/// (`SUMMA_TRUTH_PROGRAMS`).
pub(crate) fn programs() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = match std::env::var("SUMMA_TRUTH_PROGRAMS") {
        Ok(folder) => vec![PathBuf::from(folder)],
        Err(_) => vec![here.join("../../tests/conformance"), here.join("tests/programs")],
    };
    let files = |folder: &PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut sources: Vec<PathBuf> = folders.iter().flat_map(files).collect();
    sources.sort();
    sources
}

/// Every `step`-th task of the task set with its data model; None if there is no task set.
pub(crate) fn tasks(step: usize) -> Option<Vec<(PathBuf, DataModel)>> {
    let folder = std::env::var("SUMMA_TASKS")
        .map(PathBuf::from)
        .unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/public"));
    let Ok(manifest) = std::fs::read_to_string(folder.join("manifest.csv")) else {
        eprintln!("skipped: no task set");
        return None;
    };
    let mut found = Vec::new();
    for line in manifest.lines().skip(1).step_by(step) {
        let columns: Vec<&str> = line.split(',').collect();
        let (Some(file), Some(model)) = (columns.get(1), columns.get(5)) else { continue };
        let model = if *model == "LP64" { DataModel::Lp64 } else { DataModel::Ilp32 };
        found.push((folder.join(file), model));
    }
    Some(found)
}

/// A value of the run as a value of this sort.
pub(crate) fn constant(value: &summa_interp::Value, sort: Sort) -> Option<Constant> {
    match (value, sort) {
        (summa_interp::Value::Int(value), Sort::Int) => Some(Constant::Int((*value).into())),
        (summa_interp::Value::Int(value), Sort::Bv(width)) => {
            Some(Constant::Bv(width, *value as u128 & (u128::MAX >> (128 - u32::from(width)))))
        }
        (summa_interp::Value::Float { bits, .. }, Sort::Float(sort)) => {
            let bits = if sort == FloatSort::F80 { bits & (u128::MAX >> 48) } else { *bits };
            Some(Constant::float(sort, bits))
        }
        _ => None,
    }
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.draw() % limit.max(1) as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}
