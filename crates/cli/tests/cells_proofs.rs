//! Proofs about a program with cells instead of arrays are proofs of the program: they are stored, checked by
//! carrying out the transformation again, and refused for a program that was changed or with another
//! description.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use support::{command, text};

const ZEROED: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int a[1000];
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000) return 0;
    int i = 0;
    while (i < n) { a[i] = 0; i = i + 1; }
    int k = 0;
    while (k < n) { if (a[k] != 0) { reach_error(); } k = k + 1; }
    return 0;
}
";

const SOLVE: &str = "verify --work-limit 60 --cells --config k-induction";

/// A folder with the program, and its proof as data.
fn proved(name: &str) -> (PathBuf, Json) {
    let folder = support::scratch(name);
    std::fs::write(folder.join("program.c"), ZEROED).unwrap();
    let output = command(&folder, &format!("{SOLVE} --proof proof.json program.c")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    let proof = std::fs::read_to_string(folder.join("proof.json")).unwrap();
    (folder, serde_json::from_str(&proof).unwrap())
}

/// Exit code and everything that is said about this proof of this program.
fn checked(folder: &Path, proof: &Json, program: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join("other.json"), proof.to_string()).unwrap();
    std::fs::write(folder.join("other.c"), program).unwrap();
    let output = command(folder, "check-proof --work-limit 60 --proof other.json other.c").output().unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_proof_about_cells_is_stored_and_accepted() {
    let (folder, proof) = proved("cells_accepted");
    assert_eq!(proof["transformation"], json!({ "name": "cells", "errors": ["call of reach_error"] }));
    let (code, said) = checked(&folder, &proof, ZEROED);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("Verdict: TRUE"), "{said}");
}

#[test]
fn it_is_refused_where_the_program_has_an_error() {
    let (folder, proof) = proved("cells_refused");
    let edits = [
        ("a[i] = 0;", "a[i] = 1;"),
        ("if (a[k] != 0)", "if (a[k] != 1)"),
        ("while (k < n)", "while (k <= n)"),
        ("i = i + 1;", "i = i + 2;"),
        ("int a[1000];", "int a[1000] = { 0, 7 };"),
    ];
    for (from, to) in edits {
        let program = ZEROED.replace(from, to).replace("int i = 0;", "int i = 0; a[n / 2] = 3;");
        assert_ne!(program, ZEROED);
        let (code, said) = checked(&folder, &proof, &program);
        assert_ne!(code, Some(0), "{to}: {said}");
        assert!(!said.contains("TRUE"), "{to}: {said}");
    }
}

#[test]
fn other_descriptions_are_refused() {
    let (folder, proof) = proved("cells_descriptions");
    let with = |description: Json| {
        let mut proof = proof.clone();
        proof["transformation"] = description;
        checked(&folder, &proof, ZEROED)
    };
    let unknown = [
        json!({ "name": "nothing", "errors": ["call of reach_error"] }),
        json!({ "errors": [] }),
        json!("cells"),
        json!(null),
        json!({ "name": { "name": "cells" } }),
        json!(["\u{1b}[2J", 7]),
    ];
    for description in unknown {
        let (code, said) = with(description.clone());
        assert_eq!(code, Some(6), "{description}: {said}");
        assert!(said.contains("is not known") && !said.contains('\u{1b}'), "{description}: {said}");
    }
    let other_errors = [
        json!({ "name": "cells", "errors": [] }),
        json!({ "name": "cells", "errors": ["overflow"] }),
        json!({ "name": "cells" }),
        json!({ "name": "cells", "errors": ["call of reach_error"], "more": 1 }),
    ];
    for description in other_errors {
        let (code, said) = with(description.clone());
        assert_eq!(code, Some(6), "{description}: {said}");
        assert!(said.contains("for other errors"), "{description}: {said}");
    }
    // About the given program the same formulas prove nothing.
    let mut own = proof.clone();
    own.as_object_mut().unwrap().remove("transformation");
    let (code, said) = checked(&folder, &own, ZEROED);
    assert_ne!(code, Some(0), "{said}");
    // A program without arrays cannot be transformed.
    let (code, said) =
        checked(&folder, &proof, "extern void reach_error(void); int main(void) { return 0; }");
    assert_eq!(code, Some(6), "{said}");
}

/// The witness speaks of variables of the program, never of cells or chosen numbers.
#[test]
fn invariants_come_home() {
    let (folder, _) = proved("cells_invariants");
    let output = command(&folder, &format!("{SOLVE} --witness witness.yml program.c")).output().unwrap();
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("program.c:8") && said.contains("i <= 1000"), "{said}");
    let witness = std::fs::read_to_string(folder.join("witness.yml")).unwrap();
    assert!(witness.contains("loop_invariant") && witness.contains("i <= 1000"), "{witness}");
    assert!(!said.contains('$') && !witness.contains('$'), "{said}{witness}");
    let output =
        command(&folder, "validate --work-limit 60 --witness witness.yml program.c").output().unwrap();
    assert_ne!(output.status.code(), Some(10), "{}", text(&output.stdout));
}
