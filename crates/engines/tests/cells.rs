//! Arrays as cells: what is proved about cells is true of arrays, and enough is proved.
//!
//! Soundness is tested by its contrapositive: if a program reaches an error, the program with cells does,
//! which bounded model checking must find. Programs are written to be nasty, and random ones are run with all
//! their inputs to know the truth. `SUMMA_CELLS=2000` takes so many random programs.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "how many programs were of use")]

use std::fmt::Write;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{BuildOptions, Cfa};
use summa_encode::Encoding;
use summa_engines::k_induction::{Settings, run};
use summa_engines::{Config, Outcome, Task};
use summa_facts::Analyses;
use summa_testkit::{KNOBS, Random, Truth, automata, generate, truth};
use summa_transform::Transformation;

const PRELUDE: &str = "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); void reach_error(void);
    void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);
    void check(int condition) { if (!condition) { reach_error(); } return; }\n";

/// The program with cells.
fn cells(cfa: &Cfa) -> Option<Cfa> {
    Transformation::cells(cfa, &|_| true).apply(cfa, &Analyses::new(cfa)).ok().map(|made| made.cfa)
}

/// For readers of a failure.
fn show(cfa: &Cfa) -> String {
    let line =
        |edge: &summa_cfa::Edge| format!("{} -> {}  {}\n", edge.from, edge.to, edge.op.text(&cfa.program));
    cfa.edges.values().map(line).collect()
}

/// What bounded model checking finds in the program with cells.
fn has_error(cells: &Cfa, seconds: u64) -> Option<bool> {
    let facts = Analyses::new(cells);
    let budget = Budget::with_time(Duration::from_secs(seconds));
    let task = Task::new(cells, &facts, budget, &|_| true).in_encoding(Encoding::BitVector);
    match run(&task, Settings::bmc(2, None), &mut |_| true).outcome {
        Outcome::Claimed(_) => Some(false),
        Outcome::Error { .. } => Some(true),
        Outcome::Unknown { .. } => None,
    }
}

fn is_proved(cells: &Cfa) -> bool {
    let facts = Analyses::new(cells);
    let config = Config {
        encoding: summa_engines::config::EncodingChoice::Int,
        ..Config::preset("k-induction").unwrap()
    };
    let task = Task::new(cells, &facts, Budget::with_time(Duration::from_secs(40)), &|_| true);
    matches!(summa_engines::run(&config, &task, &mut |_| true).outcome, Outcome::Claimed(_))
}

// ---- never TRUE where there is an error ----

/// Bodies of `main` that reach an error.
const WRONG: &[&str] = &[
    // The last element is not written.
    "int a[5]; for (int i = 0; i < 4; i++) a[i] = 1; for (int i = 0; i < 5; i++) check(a[i] == 1);",
    // Written again after the loop, at an index that only the run knows.
    "int a[4], n = __VERIFIER_nondet_int(); __VERIFIER_assume(n >= 0 && n < 4);
     for (int i = 0; i < 4; i++) a[i] = 1; a[n] = 2; for (int i = 0; i < 4; i++) check(a[i] == 1);",
    // Two arrays with the same index; one of them is changed between the reads of a condition.
    "int a[3], b[3]; for (int i = 0; i < 3; i++) { a[i] = i; b[i] = i; } b[1]++;
     for (int i = 0; i < 3; i++) check(a[i] == b[i]);",
    // Two different indices of one array.
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = 3 - i;
     for (int i = 0; i < 3; i++) for (int j = i + 1; j < 3; j++) check(a[i] <= a[j]);",
    // The same element under two indices.
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = 7; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++)
     { a[i] = 1; a[j] = 2; check(a[i] == 1); }",
    // An element as an index.
    "int a[3], b[3]; for (int i = 0; i < 3; i++) { a[i] = 2 - i; b[i] = i; } check(b[a[0]] == 0);",
    // The index changes between the read and the check.
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = i; int i = 0; int v = a[i]; i = 2; \
     if (v == 0) check(a[i] == 0);",
    // Errors behind several conditions, each about another element.
    "int a[4]; for (int i = 0; i < 4; i++) a[i] = i; for (int i = 0; i < 3; i++)
     if (a[i] == 1) if (a[i + 1] == 2) if (a[3] == 3) reach_error();",
    // One error is behind no array at all.
    "int a[2]; a[0] = 1; a[1] = 1; int n = __VERIFIER_nondet_int(); for (int i = 0; i < 2; \
     i++) check(a[i] == 1);
     check(n != 77);",
    // The error needs two failures before it.
    "int a[3], bad = 0; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) if (a[i] > 0) bad++;
     check(bad < 2);",
    // A flag that is set where an element is wrong.
    "int a[3], fine = 1; for (int i = 0; i < 3; i++) a[i] = i != 1; for (int i = 0; i < 3; \
     i++) if (!a[i]) fine = 0;
     check(fine);",
    // Rows.
    "int a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = 0; a[1][2] = 5;
     for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) check(a[i][j] == 0);",
    // An index that leaves its row and is in the next one.
    "int a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = 0; int n = 4; a[0][n] = 5;
     check(a[1][1] == 0);",
    // Read outside of its row.
    "int a[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = i; int n = 3; \
     check(a[0][n] == 0);",
    // The same with rows of variable length, and from before the first one.
    "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); __VERIFIER_assume(m == 2 && n == 3); \
     int a[m][n];
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = 0; a[1][2] = 5;
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) check(a[i][j] == 0);",
    "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); __VERIFIER_assume(m == 2 && n == 3); \
     int a[m][n];
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = 0; a[0][n + 1] = 5; \
     check(a[1][1] == 0);",
    "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); __VERIFIER_assume(m == 2 && n == 3); \
     int a[m][n];
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = i; check(a[0][n] == 0);",
    "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); __VERIFIER_assume(m == 2 && n == 3); \
     int a[m][n];
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = 0; int k = -1; a[k][n] = 5; \
     check(a[0][0] == 0);",
    // Three dimensions, of which two are variable.
    "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); __VERIFIER_assume(m == 2 && n == 2); \
     int a[m][n][2];
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) for (int k = 0; k < 2; \
     k++) a[i][j][k] = i + j + k;
     for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) for (int k = 0; k < 2; \
     k++) check(a[i][j][k] < 3);",
    // What flows into an array through another one, at other indices and with other types.
    "int a[3], b[3], c[3]; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) b[i] = a[i]; b[1] = 9;
     for (int i = 0; i < 3; i++) c[i] = b[i]; for (int i = 0; i < 3; i++) check(c[i] == a[i]);",
    "int a[3], b[3], c[3]; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) b[i] = a[2 - i];
     for (unsigned char i = 0; i < 3; i++) c[i] = b[i]; for (long i = 0; i < 3; i++) check(c[i] == a[i]);",
    "int a[3], b[3], c[3]; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) { int t = a[i]; \
     a[i] = 7; b[i] = t; }
     for (int i = 0; i < 3; i++) c[i] = b[i]; for (int i = 0; i < 3; i++) check(c[i] == a[i]);",
    // Allocated twice.
    "int *p = malloc(3 * sizeof(int)); for (int i = 0; i < 3; i++) p[i] = 1; p = malloc(3 * sizeof(int));
     for (int i = 0; i < 2; i++) p[i] = 1; for (int i = 0; i < 3; i++) check(p[i] == 1);",
    // Another pointer to the same object.
    "int *p = malloc(3 * sizeof(int)), *q = p; for (int i = 0; i < 3; i++) p[i] = 1; q[1] = 2;
     for (int i = 0; i < 3; i++) check(p[i] == 1);",
    "int a[3], *q = a; for (int i = 0; i < 3; i++) a[i] = 1; *(q + 1) = 2; for (int i = 0; i < 3; \
     i++) check(a[i] == 1);",
    "int a[3], *q = &a[1]; for (int i = 0; i < 3; i++) a[i] = 1; *q = 2; for (int i = 0; i < 3; \
     i++) check(a[i] == 1);",
    // Lives again in every round.
    "for (int n = 0; n < 2; n++) { int a[2]; if (n == 0) { a[0] = 1; a[1] = 1; } else a[0] = 1;
     for (int i = 0; i < 2; i++) check(a[i] == 1); }",
    // The loop that checks also writes.
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = 0; for (int i = 0; i < 3; \
     i++) { check(a[i] == 0); a[2] = 1; }",
    // Narrow elements wrap.
    "unsigned char a[3]; for (int i = 0; i < 3; i++) a[i] = 255 + i; for (int i = 0; i < 3; \
     i++) check(a[i] == 255 + i);",
    // A truth value that is kept before it is checked, and another one afterwards.
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) { int fine = a[i] < 2; \
     check(fine); }",
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) check(a[i] < 2 && a[i] >= 0);",
    "int a[3]; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) check(a[i] > 0 || a[i] < 0);",
    // Indices with bounds that exclude each other: the second error has no array.
    "int a[2], b[2]; a[0] = a[1] = b[0] = b[1] = 1; for (int i = 2; i < 4; i++) check(b[i - 2] == a[i - 2]);
     for (int i = 0; i < 2; i++) check(a[i] == 2 - i);",
    // Flags: set more than once, set and cleared, read where nothing fails, two of them, for elements of two
    // arrays, by several constants.
    "int a[3], fine = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) if (a[i] > 0) fine = 0; check(fine);",
    "int a[3], fine = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 1) fine = 0; if (a[i] == 2) fine = 1;
     if (a[i] == 0) fine = 1; if (i == 1) check(fine); }",
    "int a[3], fine = 1, n = 0; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 1) fine = 0; if (!fine) n = n + 1; }
     check(fine || n < 2);",
    "int a[3], fine = 1, n = 0; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 1) fine = 0; if (!fine) n = n + 1; }
     check(n < 2);",
    "int a[3], b[3], f = 1, g = 1; for (int i = 0; i < 3; i++) { a[i] = i; b[i] = 1; } for (int i = 0; \
     i < 3; i++) { if (a[i] != b[i]) f = 0;
     if (b[i] != 1) g = 0; } check(g); check(f);",
    "int a[3], b[3], f = 1, g = 1; for (int i = 0; i < 3; i++) { a[i] = i; b[i] = 1; } for (int i = 0; \
     i < 3; i++) { if (a[i] != b[i]) f = 0;
     if (f == 0) g = 0; } check(g);",
    "int a[3], state = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 0) state = 2; if (a[i] == 1) state = 3;
     if (a[i] == 2) state = 4; } check(state < 4);",
    "int a[3], state = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 0) state = 5; check(state != 3);
     if (a[i] == 1) state = 3; }",
    "int a[3], fine = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 1) fine = 0; check(a[i] < 2 || fine); }",
    "int a[2][2], fine = 1; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) a[i][j] = i; int n = 2;
     if (a[0][n] == 1) fine = 0; check(fine);",
    "int a[3], fine = 1, n = 0; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] > 0) fine = 0; n = n + (fine == 0);
     fine = 1; } check(n < 2); check(fine);",
    "int a[3], fine = 1, n = 0; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] > 0) fine = 0; if (!fine) n = n + 1;
     fine = 1; } check(n < 2); check(fine);",
    "int a[3], fine = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { if (a[i] == 1) fine = 0; if (a[i] == 2) check(fine); }",
    // Read twice, and something happens to the element, to another one, to the index, to the variable that
    // held it, or not on every way.
    "int a[3], f = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) { int v = a[i]; \
     a[i]++; if (a[i] != v) f = 0; }
     check(f);",
    "int a[3], f = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) { int v = a[i]; \
     a[2 - i] = 9; if (a[i] != v) f = 0; }
     check(f);",
    "int a[3], f = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 2; \
     i++) { int j = i, v = a[j]; j++; if (a[j] != v) f = 0; }
     check(f);",
    "int a[3], f = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) { int v = a[i]; v++; \
     if (a[i] != v) f = 0; } check(f);",
    "int a[3], f = 1; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; i++) { int v = 7; \
     if (i == 1) v = a[i]; if (a[i] != v) f = 0; }
     check(f);",
    "int a[3], f = 1, v, *q = &v; for (int i = 0; i < 3; i++) a[i] = i; for (int i = 0; i < 3; \
     i++) { v = a[i]; *q = 9; if (a[i] != v) f = 0; }
     check(f);",
    "int a[3], f = 1; for (int i = 0; i < 3; i++) a[i] = i + 1; for (int i = 0; i < 2; i++) { int v = i; \
     v = a[v]; if (a[v - 1] != 1) f = 0;
     if (a[v] == v) f = 0; else if (v == 2) f = 0; } check(f);",
    "int *p = malloc(3 * sizeof(int)), f = 1; for (int i = 0; i < 3; i++) p[i] = 1; int v = p[1]; \
     p = malloc(3 * sizeof(int));
     for (int i = 0; i < 3; i++) p[i] = 2; if (p[1] != v) f = 0; check(f);",
];

#[test]
fn errors_stay() {
    for body in WRONG {
        let text = format!("{PRELUDE}int main(void) {{ {body} return 0; }}");
        let cfa = automata(&text);
        let Some(cells) = cells(&cfa) else { continue };
        assert_eq!(has_error(&cells, 60), Some(true), "{body}\n{}", show(&cells));
    }
}

/// Arrays that go through functions; each program reaches an error.
#[test]
fn errors_stay_with_functions() {
    let wrong = [
        "int get(int *p, int i) { return p[i]; } int main(void) { int a[3]; for (int i = 0; i < 3; \
         i++) a[i] = i;
         for (int i = 0; i < 3; i++) check(get(a, i) < 2); return 0; }",
        "void set(int *p, int i) { p[i] = 5; } int main(void) { int a[3]; for (int i = 0; i < 3; \
         i++) a[i] = 1; set(a, 2);
         for (int i = 0; i < 3; i++) check(a[i] == 1); return 0; }",
        "void set(int *p, int i) { p[i] = 5; } int main(void) { int a[3], b[3]; for (int i = 0; i < 3; \
         i++) a[i] = b[i] = 1;
         set(a, 2); set(b, 1); for (int i = 0; i < 3; i++) check(a[i] == 1); return 0; }",
        "void both(int *p, int *q, int i) { p[i] = 1; q[i] = 2; check(p[i] == 1); } \
         int main(void) { int a[3]; both(a, a, 1);
         return 0; }",
        "int down(int n) { int a[2]; a[0] = n; a[1] = n; if (n > 0) down(n - 1); for (int i = 0; i < 2; \
         i++) check(a[i] != 1);
         return 0; } int main(void) { return down(2); }",
        "int g[3]; void fill(int v) { for (int i = 0; i < 3; i++) g[i] = v; } int main(void) { fill(1); \
         fill(2);
         for (int i = 0; i < 3; i++) check(g[i] == 1); return 0; }",
        "int g[3] = { 1, 1, 2 }; int main(void) { for (int i = 0; i < 3; i++) check(g[i] == 1); return 0; }",
        "int g[3]; int main(void) { for (int i = 0; i < 3; i++) check(g[i] != 0); return 0; }",
        // A flag that a function sets, and one that each call has of its own.
        "int g[3] = { 1, 2, 3 }, fine = 1; void look(int i) { if (g[i] == 2) fine = 0; } \
         int main(void) { for (int i = 0; i < 3; i++) look(i);
         check(fine); return 0; }",
        "int g[3] = { 1, 2, 3 }; void look(int n) { int fine = 1; if (n > 0) look(n - 1); for (int i = 0; \
         i < 3; i++) if (g[i] == n) fine = 0;
         if (n == 3) check(fine); } int main(void) { look(3); return 0; }",
        // A call between two reads changes the element, or the index.
        "int g[3], f = 1; void add(int i) { g[i]++; } int main(void) { for (int i = 0; i < 3; \
         i++) { int v = g[i]; add(i); if (g[i] != v) f = 0; }
         check(f); return 0; }",
        "int g[3] = { 1, 2, 3 }, at, f = 1; void go(void) { at++; } int main(void) { for (int i = 0; i < 2; \
         i++) { int v = g[at]; go();
         if (g[at] != v) f = 0; } check(f); return 0; }",
        "void less(int a, int b) { check(a < b); } int main(void) { int a[3]; for (int i = 0; i < 3; \
         i++) a[i] = i;
         for (int i = 0; i < 2; i++) less(a[i + 1], a[i]); return 0; }",
        "int twice(int c, int d) { if (!c) reach_error(); if (!d) reach_error(); return 0; } \
         int main(void) { int a[3], b[3];
         for (int i = 0; i < 3; i++) { a[i] = 1; b[i] = i < 2; } for (int i = 0; i < 3; \
         i++) twice(a[i] == 1, b[i] == 1);
         return 0; }",
    ];
    for text in wrong {
        let Some(cells) = cells(&automata(&format!("{PRELUDE}{text}"))) else { continue };
        assert_eq!(has_error(&cells, 60), Some(true), "{text}\n{}", show(&cells));
    }
}

// ---- proofs ----

#[test]
fn what_arrays_hold_is_proved() {
    let right = [
        "int a[100000]; int i = 0; while (i < 100000) { a[i] = 42; i++; } for (i = 0; i < 100000; \
         i++) check(a[i] == 42);",
        "int a[1000], b[1000], i; for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int(); for (i = 0; \
         i < 1000; i++) b[i] = a[i];
         for (i = 0; i < 1000; i++) check(a[i] == b[i]);",
        "int a[1000], e = __VERIFIER_nondet_int(), i; for (i = 0; i < 1000; \
         i++) a[i] = __VERIFIER_nondet_int();
         i = 0; while (i < 1000 && a[i] != e) i++; for (int x = 0; x < i; x++) check(a[x] != e);",
        "int n = __VERIFIER_nondet_int(); if (n > 1 && n < 5000) { int *a = malloc(n * sizeof(int)); int i;
         for (i = n - 1; i >= 0; i--) a[i] = i; for (i = 0; i < n; i++) check(a[i] >= i); }",
        "int a[1000], b[1000], c[1000], i; for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int(); \
         for (i = 0; i < 1000; i++) b[i] = a[i];
         for (i = 0; i < 1000; i++) c[i] = b[i]; for (i = 0; i < 1000; i++) check(c[i] == a[i]);",
        "int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(), i, j; \
         if (m > 0 && m < 1000 && n > 0 && n < 1000) { int a[m][n];
         for (i = 0; i < m; i++) for (j = 0; j < n; j++) a[i][j] = 7; for (i = 0; i < m; i++) for (j = 0; \
         j < n; j++) check(a[i][j] == 7); }",
        "int a[1000], i; for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int(); int max = a[0];
         for (i = 1; i < 1000; i++) if (a[i] > max) max = a[i]; for (i = 0; i < 1000; \
         i++) check(a[i] <= max);",
        "int a[100][200], i, j; for (i = 0; i < 50; i++) for (j = 0; j < 200; \
         j++) a[i][j] = __VERIFIER_nondet_int(); int min = a[0][0];
         for (i = 0; i < 100; i++) for (j = 0; j < 200; j++) if (a[i][j] < min) min = a[i][j];
         for (i = 0; i < 100; i++) for (j = 0; j < 200; j++) check(min <= a[i][j]);",
        "int a[100][200], b[100][200], i, j; for (i = 0; i < 100; i++) for (j = 0; j < 200; \
         j++) b[i][j] = __VERIFIER_nondet_int();
         for (i = 0; i < 100; i++) for (j = 0; j < 200; j++) a[i][j] = b[99 - i][199 - j];
         for (i = 0; i < 100; i++) for (j = 0; j < 200; j++) check(a[i][j] == b[99 - i][199 - j]);",
        "int a[1000], b[1000], i, fine = 1; for (i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();
         for (i = 0; i < 1000; i++) if (a[i] >= 0) b[i] = 1; else b[i] = 0;
         for (i = 0; i < 1000; i++) { if (a[i] >= 0 && !b[i]) fine = 0; if (a[i] < 0 && b[i]) fine = 0; } \
         check(fine);",
        "int a[1000], i, sorted = 1; for (i = 0; i < 1000; i++) a[i] = i; for (i = 1; i < 1000; \
         i++) if (a[i - 1] > a[i]) sorted = 0; check(sorted);",
    ];
    for body in right {
        let cfa = automata(&format!("{PRELUDE}int main(void) {{ {body} return 0; }}"));
        let cells = cells(&cfa).unwrap();
        assert!(is_proved(&cells), "{body}\n{}", show(&cells));
    }
}

// ---- random programs ----

/// A program about three small arrays: loops that write, copy and check them, in any order.
fn array_program(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut text = format!("{PRELUDE}void put(int *p, int i, int v) {{ p[i] = v; }}\nint main(void) {{\n");
    text.push_str("  int a[4], b[4], c[4], n = __VERIFIER_nondet_int(), f = 1, fine = 1;\n");
    text.push_str("  __VERIFIER_assume(n >= -2 && n <= 5);\n");
    text.push_str("  for (int i = 0; i < 4; i++) { a[i] = i; b[i] = 1; c[i] = 3 - i; }\n");
    for _ in 0..random.between(2, 5) {
        let [x, y] = [(); 2].map(|()| *random.pick(&["a", "b", "c"]));
        let (c, d) = (random.between(0, 3), random.between(0, 3));
        let head = match random.below(4) {
            0 => format!("for (int i = {c}; i < 4; i++)"),
            1 => format!("for (int i = 3; i >= {c}; i--)"),
            2 => "for (int i = 0; i < 4; i += 2)".to_owned(),
            _ => format!("for (int i = 0; i < 4; i++) if (i != {d})"),
        };
        let value = match random.below(5) {
            0 => format!("{c}"),
            1 => format!("{y}[i]"),
            2 => format!("{y}[3 - i]"),
            3 => "n".to_owned(),
            _ => format!("{y}[i] + {x}[{d}]"),
        };
        let condition = match random.below(5) {
            0 => format!("{x}[i] != {c}"),
            1 => format!("{x}[i] <= {y}[i] + {c}"),
            2 => format!("{x}[i] < {} || {y}[i] > {d}", c + 2),
            3 => format!("{x}[i] + {y}[3 - i] < {}", c + 3),
            _ => format!("{x}[i] >= n - {c}"),
        };
        // Writing to a string cannot fail.
        let _ = match random.below(13) {
            0 | 1 => writeln!(text, "  {head} {x}[i] = {value};"),
            2 => writeln!(text, "  {head} put({x}, i, {value});"),
            3 => writeln!(text, "  if (n >= 0 && n < 4) {x}[n] = {d};"),
            4 => writeln!(text, "  {head} if ({condition}) f = {d};"),
            5 => writeln!(text, "  {head} if (!({condition}) && f == {d}) reach_error();"),
            6 => writeln!(text, "  {head} if ({x}[i] > f) f = {x}[i];"),
            7 => {
                writeln!(text, "  {head} {{ int v = {x}[i]; {y}[{d}] = {value}; if ({x}[i] != v) f = {c}; }}")
            }
            8 | 9 => writeln!(text, "  {head} if (!({condition})) fine = 0;"),
            10 => writeln!(text, "  {head} if ({condition}) fine = {};", d % 3),
            11 => writeln!(text, "  check(fine);"),
            _ => writeln!(text, "  {head} check({condition});"),
        };
    }
    text.push_str(
        "  for (int i = 0; i < 4; i++) check(a[i] + b[i] < 9 && f != 3);\n  check(fine);\n  return 0;\n}\n",
    );
    text
}

/// A program about an array of arrays, whose rows have a variable length or not: elements are set by loops,
/// single ones also from outside of their rows, and then all are checked.
fn rows_program(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let mut text = format!(
        "{PRELUDE}int main(void) {{\n  int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();\n"
    );
    text.push_str("  __VERIFIER_assume(m >= 2 && m <= 3 && n >= 2 && n <= 3);\n");
    let (lengths, rows, columns) =
        *random.pick(&[("[m][n]", "m", "n"), ("[3][n]", "3", "n"), ("[3][3]", "m", "n")]);
    let all = format!("for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++)");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "  int a{lengths}, b{lengths}, k = 1;\n  {all} {{ a[i][j] = 1; b[i][j] = i; }}");
    for _ in 0..random.between(1, 4) {
        let [x, y] = [(); 2].map(|()| *random.pick(&["a", "b"]));
        let (c, d) = (random.between(-1, 3), random.between(0, 4));
        let _ = match random.below(5) {
            0 => writeln!(text, "  {all} {x}[i][j] = {y}[i][j];"),
            1 => writeln!(text, "  {all} if (i != j) {x}[i][j] = {d};"),
            2 => writeln!(text, "  k = {c}; if (k * n + {d} >= 0 && k * n + {d} < 2 * n) {x}[k][{d}] = {d};"),
            3 => writeln!(
                text,
                "  k = {c}; if (k * n + {d} >= 0 && k * n + {d} < 2 * n) check({x}[k][{d}] != {d});"
            ),
            _ => writeln!(text, "  {all} check({x}[i][j] <= {y}[i][j] + {d});"),
        };
    }
    let _ = writeln!(text, "  {all} check(a[i][j] + b[i][j] < 5);\n  return 0;\n}}");
    text
}

#[test]
fn random_errors_stay() {
    let count = KNOBS.cells.or(60);
    let (mut with_cells, mut wrong) = (0, 0);
    for seed in 0..count {
        let text = match seed % 4 {
            0 => generate(seed),
            1 => rows_program(seed),
            _ => array_program(seed),
        };
        let cfa = automata(&text);
        let Some(cells) = cells(&cfa) else { continue };
        with_cells += 1;
        if truth(&cfa) != Truth::Error {
            continue;
        }
        wrong += 1;
        // Without an answer in time there is nothing to compare.
        assert_ne!(has_error(&cells, 20), Some(false), "seed {seed}\n{text}");
    }
    eprintln!("{with_cells} programs with cells, {wrong} of them with errors");
    assert!(wrong > count / 6, "too few programs of use: {wrong}");
}

// ---- what it looks like ----

#[test]
fn promoted_objects_and_elements_of_allocated_arrays() {
    let text = format!(
        "{PRELUDE}int main(void) {{ int *p = malloc(3 * sizeof(int)); for (int i = 0; i < 3; i++) p[i] = i;
         for (int i = 0; i < 3; i++) check(p[i] < 2); free(p); return 0; }}"
    );
    let loaded = summa_c::load_text("test.c", &text, summa_c::types::DataModel::Lp64).unwrap();
    let cfa =
        summa_transform::build(loaded.program, &BuildOptions { promote: true, ..BuildOptions::default() })
            .unwrap();
    assert_eq!(has_error(&cells(&cfa).unwrap(), 60), Some(true));
}
