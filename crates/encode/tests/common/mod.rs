//! What the two truth tests share: where programs come from, and values of runs as values of terms.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

pub(crate) mod random_program;
pub(crate) mod recording;
pub(crate) mod replaying;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use summa_c::types::DataModel;
use summa_term::{ArrayValue, FloatSort, Sort, Terms, Value as Constant};
use summa_testkit::KNOBS;

/// The programs of the conformance suite and those that were the cause of a repair, or of another folder
/// (`SUMMA_TRUTH_PROGRAMS`).
pub(crate) fn programs() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = match KNOBS.truth_programs.text() {
        Some(folder) => vec![PathBuf::from(folder)],
        None => vec![here.join("../../tests/conformance"), here.join("tests/programs")],
    };
    let files = |folder: &PathBuf| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut sources: Vec<PathBuf> = folders.iter().flat_map(files).collect();
    sources.sort();
    sources
}

/// Every `step`-th task of the task set with its data model; None if there is no task set.
pub(crate) fn tasks(step: usize) -> Option<Vec<(PathBuf, DataModel)>> {
    let all = summa_testkit::tasks()?;
    Some(all.into_iter().step_by(step).map(|task| (task.path, task.model)).collect())
}

/// A value of any sort.
pub(crate) fn zero(terms: &Terms, sort: Sort) -> Constant {
    match sort {
        Sort::Bool => Constant::Bool(false),
        Sort::Int => Constant::Int(0.into()),
        Sort::Bv(width) => Constant::Bv(width, 0),
        Sort::Float(sort) => Constant::Float(sort, 0),
        Sort::Array(array) => {
            Constant::Array(Arc::new(ArrayValue::new(zero(terms, terms.array_sort(array).1), [])))
        }
    }
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
