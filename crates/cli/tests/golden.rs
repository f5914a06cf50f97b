//! Whole outputs of `summa`, kept in `tests/golden`: automata, graphs, contracts, proofs, reports.
//!
//! The programs are those of `tests/golden/programs`. `UPDATE_GOLDEN=1 cargo test --test golden` writes the
//! outputs anew: read the difference.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod support;

use std::path::Path;
use summa_testkit::golden::{self, timeless};

/// The golden file, the command that makes it, and its exit code. `OUT` is a file whose text is taken instead
/// of the standard output.
const OUTPUTS: &[(&str, &str, i32)] = &[
    ("automata/count.txt", "cfa --function main count.c", 0),
    ("automata/count.dot", "cfa --function main --format dot count.c", 0),
    ("automata/clamp.json", "cfa --function clamp --format json clamp.c", 0),
    ("graphs/count-value.txt", "arg --config value count.c", 0),
    ("graphs/count-predicate.dot", "arg --config predicate --format dot count.c", 0),
    ("graphs/clamp-interval.json", "arg --config interval --format json clamp.c", 0),
    ("contracts/clamp-interval.txt", "summaries --config interval-bam-rec clamp.c", 0),
    ("contracts/clamp-predicate.txt", "summaries --config predicate-bam-rec clamp.c", 0),
    ("contracts/clamp-value.json", "summaries --config value-bam-rec --format json clamp.c", 0),
    ("proofs/count.json", "verify --config predicate --proof OUT count.c", 0),
    ("proofs/clamp-summaries.json", "verify --config interval-bam-rec --proof OUT clamp.c", 0),
    ("proofs/count.witness.yml", "verify --config predicate --witness OUT count.c", 0),
    ("reports/withdraw.txt", "verify withdraw.c", 10),
    ("reports/withdraw.jsonl", "verify --output-format json withdraw.c", 10),
    ("reports/withdraw.sarif", "verify --output-format sarif withdraw.c", 10),
    ("reports/withdraw.github.txt", "verify --output-format github withdraw.c", 10),
    ("reports/withdraw.harness.c", "verify --harness OUT withdraw.c", 10),
    ("reports/count.txt", "verify count.c", 0),
    ("reports/count.jsonl", "verify --output-format json count.c", 0),
    ("reports/unknown.txt", "verify --config value clamp.c", 5),
];

const OUT: &str = "golden.out";

/// The output of a command, without times.
fn output(folder: &Path, arguments: &str, code: i32) -> String {
    let _ = std::fs::remove_file(folder.join(OUT));
    let output = support::command(folder, &arguments.replace("OUT", OUT)).output().unwrap();
    let errors = support::text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "summa {arguments}: {errors}");
    let text = if arguments.contains("OUT") {
        std::fs::read_to_string(folder.join(OUT)).unwrap()
    } else {
        support::text(&output.stdout)
    };
    timeless(&text)
}

/// In a folder with the programs, so that no path is longer than a name.
#[test]
fn outputs_are_as_they_should_be() {
    let folder = support::scratch("golden");
    for program in summa_testkit::programs_in(&["tests/golden/programs"]) {
        std::fs::copy(&program, folder.join(program.file_name().unwrap())).unwrap();
    }
    let mut failures = Vec::new();
    for &(name, arguments, code) in OUTPUTS {
        let checked = std::panic::catch_unwind(|| golden::check(name, &output(&folder, arguments, code)));
        failures.extend(checked.is_err().then_some(name));
    }
    assert!(failures.is_empty(), "{failures:?}: see above");
}

/// What is told once is told again: nothing in these outputs depends on the run.
#[test]
fn outputs_repeat() {
    let folder = support::scratch("golden-again");
    for program in summa_testkit::programs_in(&["tests/golden/programs"]) {
        std::fs::copy(&program, folder.join(program.file_name().unwrap())).unwrap();
    }
    for &(name, arguments, code) in OUTPUTS.iter().step_by(5) {
        assert_eq!(output(&folder, arguments, code), output(&folder, arguments, code), "{name}");
    }
}

/// Each file is somebody's output: of this test, or of the formulas in `crates/encode/tests/paths.rs`.
#[test]
fn no_golden_file_is_left_over() {
    for kind in std::fs::read_dir(golden::folder()).unwrap() {
        let kind = kind.unwrap();
        let kind_name = kind.file_name().into_string().unwrap();
        if ["programs", "formulas"].contains(&kind_name.as_str()) {
            continue;
        }
        for file in std::fs::read_dir(kind.path()).unwrap() {
            let name = format!("{kind_name}/{}", file.unwrap().file_name().into_string().unwrap());
            assert!(OUTPUTS.iter().any(|(known, ..)| *known == name), "{name}: nobody writes it");
        }
    }
}
