//! CONTRIBUTING.md has the table of all variables that tests read.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::path::Path;
use summa_testkit::{Knobs, golden};

const BEGIN: &str = "<!-- written by `UPDATE_GOLDEN=1 cargo test -p summa-testkit --test knobs` -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn the_table_is_complete() {
    let mut table = String::from("| variable | tests | what it is |\n| --- | --- | --- |\n");
    for knob in Knobs::ALL {
        table += &format!("| `{}` | {} | {} |\n", knob.variable, knob.tests, knob.what);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../CONTRIBUTING.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("where the table begins");
    let (_, behind) = rest.split_once(END).expect("where the table ends");
    golden::compare(&path, &format!("{before}{BEGIN}{table}{END}{behind}"));
}

#[test]
fn every_variable_is_there_once() {
    let mut names: Vec<&str> = Knobs::ALL.iter().map(|knob| knob.variable).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(names.iter().all(|name| name.strip_prefix("SUMMA").is_some_and(|rest| rest.starts_with('_'))));
}
