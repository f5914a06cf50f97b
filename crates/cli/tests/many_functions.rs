//! Programs of many functions: what is done grows with the program, and not with its square.
//!
//! Work is counted, so that the machine has no say: a program with four times as many functions may take at
//! most 4.5 times the work.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod support;

use std::path::Path;
use summa_testkit::{Calls, Footprint, ManyFunctions, generate_many_functions};

const SHAPES: [Calls; 3] = [Calls::Chain, Calls::Tree, Calls::Random];
/// Of random graphs, how much can be reached does not grow evenly.
const EVEN: [Calls; 2] = [Calls::Chain, Calls::Tree];
/// With fewer functions there is no need of summaries.
const FUNCTIONS: usize = 150;
/// For a program that is four times as large.
const GROWTH: f64 = 4.5;

/// The verdict, whether its proof was checked, and the counted work in milliseconds.
fn verified(folder: &Path, how: &ManyFunctions, options: &str) -> (String, bool, f64) {
    support::file_in(folder, "many.c", &generate_many_functions(how));
    let output = support::command(folder, &format!("verify --stats {options} many.c")).output().unwrap();
    let text = support::text(&output.stdout);
    let after = |word: &str| text.lines().find_map(|line| line.strip_prefix(word)).unwrap_or_default().trim();
    let work = after("Counted work:").trim_end_matches("ms").trim().parse();
    let is_checked = after("Checked:").starts_with("the proof");
    (after("Verdict:").to_owned(), is_checked, work.unwrap_or_else(|_| panic!("no counted work: {text}")))
}

/// The work for a program, and for one that is four times as large; both are proved.
fn is_linear(folder: &Path, (calls, footprint): (Calls, Footprint), options: &str) {
    let work = [FUNCTIONS, 4 * FUNCTIONS].map(|functions| {
        let how = ManyFunctions { calls, footprint, functions, is_safe: true };
        let (verdict, is_checked, work) = verified(folder, &how, options);
        assert!(verdict == "TRUE" && is_checked, "{how:?} {options}: {verdict}");
        work
    });
    let growth = work[1] / work[0];
    assert!(growth <= GROWTH, "{calls:?}, {footprint:?} {options}: {growth:.2} times the work, {work:?} ms");
}

#[test]
fn the_strategy_is_linear_in_functions() {
    let folder = support::scratch("many-functions");
    for calls in EVEN {
        for footprint in [Footprint::Nothing, Footprint::SharedGlobal, Footprint::Pointer] {
            is_linear(&folder, (calls, footprint), "");
        }
    }
}

#[test]
fn summaries_of_ranges_are_linear_in_functions() {
    let folder = support::scratch("many-functions-ranges");
    for calls in EVEN {
        is_linear(&folder, (calls, Footprint::Nothing), "--config interval-bam-rec");
    }
}

#[test]
fn a_bug_in_one_of_many_functions_is_found() {
    let folder = support::scratch("many-functions-bug");
    for calls in SHAPES {
        for footprint in
            [Footprint::Nothing, Footprint::OwnGlobals, Footprint::SharedGlobal, Footprint::Pointer]
        {
            let how = ManyFunctions { calls, footprint, functions: 2 * FUNCTIONS, is_safe: false };
            let (verdict, ..) = verified(&folder, &how, "");
            assert!(verdict.starts_with("FALSE"), "{how:?}: {verdict}");
        }
    }
}
