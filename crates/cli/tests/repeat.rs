//! Runs repeat: the same program and options give the same output, also while others keep the machine busy.
//!
//! Different engines decide these programs, and some are not decided within the work limit. Limits: with
//! `--jobs`, the first engine that ends answers, so such runs need not repeat.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often each program is verified, and with how much work.
const RUNS: usize = 3;
const WORK: &str = "--work-limit 2";

/// Programs that take the strategy far, besides the examples.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "commutative.c",
        "int mult(int n, int m) { return m <= 0 ? 0 : n + mult(n, m - 1); }\n\
         int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
         if (x > 0 && y > 0 && x < 40000 && y < 40000 && mult(x, y) != mult(y, x)) reach_error(); \
         return 0; }\n",
    ),
    (
        "squares.c",
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), s = 0, k = 0;\n\
         while (k < n) { s += 2 * k + 1; k++; } if (s != n * n) reach_error(); return 0; }\n",
    ),
    (
        "states.c",
        "int main(void) { int state = 0, count = 0; while (1) { int x = __VERIFIER_nondet_int();\n\
         if (state == 0 && x == 7) state = 1; else if (state == 1 && x == 5) state = 2;\n\
         else if (state == 2 && x > 100) state = 3; else if (x == 9) return 0;\n\
         if (state == 3) count++; if (count > 4 && x % 17 == 3) reach_error(); } }\n",
    ),
    (
        "arrays.c",
        "int a[64], b[64]; int main(void) { int i; for (i = 0; i < 64; i++) a[i] = __VERIFIER_nondet_int();\n\
         for (i = 0; i < 64; i++) b[63 - i] = a[i];\n\
         for (i = 0; i < 64; i++) if (a[i] != b[63 - i]) reach_error(); return 0; }\n",
    ),
    (
        "factors.c",
        "int main(void) { unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();\n\
         if (x > 1 && y > 1 && x < 4294967296 && y < 4294967296 && x * y == 13835058115983998977ul) \
         reach_error();\n\
         return 0; }\n",
    ),
];

/// Other work that wants every core.
fn busy(stop: &AtomicBool) {
    let mut rounds = 0u64;
    while !stop.load(Ordering::Relaxed) {
        rounds = std::hint::black_box(rounds.wrapping_add(1));
    }
}

#[test]
fn the_same_run_twice_says_the_same() {
    let folder = support::scratch("repeat");
    let head = "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void);\n\
                unsigned long __VERIFIER_nondet_ulong(void); void reach_error(void);\n";
    let mut files: Vec<String> = Vec::new();
    for (name, text) in PROGRAMS {
        support::file_in(&folder, name, &format!("{head}{text}"));
        files.push((*name).to_owned());
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    for name in ["withdraw.c", "lock.c"] {
        files.push(examples.join(name).display().to_string());
    }
    let run = |file: &String| {
        let output = support::command(&folder, &format!("verify --explain {WORK} {file}")).output().unwrap();
        (output.status.code(), support::text(&output.stdout))
    };
    let first: Vec<_> = files.iter().map(run).collect();
    let is_decided = |(code, _): &(Option<i32>, String)| matches!(code, Some(0 | 10));
    assert!(first.iter().any(is_decided) && !first.iter().all(is_decided), "all of a kind: {first:#?}");
    let stop = AtomicBool::new(false);
    let different = std::thread::scope(|scope| {
        (0..2).for_each(|_| drop(scope.spawn(|| busy(&stop))));
        let repeats =
            |(file, first): &(&String, &(Option<i32>, String))| (1..RUNS).all(|_| run(file) == **first);
        let different: Vec<_> =
            files.iter().zip(&first).filter(|pair| !repeats(pair)).map(|(file, _)| file).collect();
        stop.store(true, Ordering::Relaxed);
        different
    });
    assert!(different.is_empty(), "{different:?}");
}
