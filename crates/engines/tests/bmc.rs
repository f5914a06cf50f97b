//! Bounded model checking on small programs with known answers, in both encodings. Each candidate is
//! replayed: an error counts only if the interpreter reaches it with the inputs of the model.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::time::Duration;
use summa_base::Budget;
use summa_encode::Encoding;
use summa_engines::k_induction::{Settings, run};
use summa_engines::{Choice, Outcome, Task};
use summa_facts::Analyses;
use summa_testkit::{automata, replays};

const PRELUDE: &str = "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); \
                       void __VERIFIER_assume(int); void reach_error(void); \
                       void *malloc(unsigned long); void *calloc(unsigned long, unsigned long);\n";

fn answer(source: &str, encoding: Encoding) -> String {
    let cfa = automata(&format!("{PRELUDE}{source}"));
    let facts = Analyses::new(&cfa);
    let budget = Budget::with_time(Duration::from_secs(20));
    let task = Task {
        query_timeout: Duration::from_secs(20),
        ..Task::new(&cfa, &facts, budget, &|_| true).in_encoding(encoding)
    };
    let mut replay = |choices: &[Choice]| replays(&cfa, choices.iter().map(|c| (&c.input, c.value.as_ref())));
    match run(&task, Settings::bmc(1, None), &mut replay).outcome {
        Outcome::Claimed(_) => "safe".to_string(),
        Outcome::Error { .. } => "error".to_string(),
        Outcome::Unknown { reason, .. } => format!("unknown: {reason}"),
    }
}

fn expect(expected: &str, source: &str) {
    for encoding in [Encoding::Int, Encoding::BitVector] {
        assert_eq!(answer(source, encoding), expected, "{} of {source}", encoding.name());
    }
}

#[test]
fn an_input_that_random_tries_do_not_hit() {
    expect(
        "error",
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x * 3 + 7 == 123457) reach_error(); \
         return 0; }",
    );
    expect(
        "safe",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint() % 1000; if (x * 4 == 5) reach_error(); \
         return 0; }",
    );
}

#[test]
fn wrap_around_is_exact() {
    expect(
        "error",
        "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x * 4 == 8 && x > 10) reach_error(); \
         return 0; }",
    );
    expect(
        "error",
        "int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x + 1 < 0) reach_error(); \
         return 0; }",
    );
    expect(
        "safe",
        "int main(void) { signed char c = __VERIFIER_nondet_int(); if (c > 127 || c < -128) reach_error(); \
         return 0; }",
    );
}

/// The error stands after the exit of the function in the order of the nodes.
#[test]
fn errors_after_loops() {
    expect(
        "error",
        "int main(void) { int x = __VERIFIER_nondet_int(), s = 0; for (int i = 0; i < 10; i++) s += i;
         if (x == 77 && s == 45) reach_error(); return 0; }",
    );
    expect(
        "safe",
        "int main(void) { int n = __VERIFIER_nondet_int(), s = 0; __VERIFIER_assume(n >= 0 && n < 6);
         for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s++; if (s > 10) reach_error(); return 0; }",
    );
}

#[test]
fn recursion_keeps_activations_apart() {
    let fib = "int fib(int n) { if (n < 2) return n; int a = fib(n - 1); int b = fib(n - 2); return a + b; }";
    expect("safe", &format!("{fib} int main(void) {{ if (fib(7) != 13) reach_error(); return 0; }}"));
    expect(
        "error",
        &format!(
            "{fib} int main(void) {{ int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 0 && x < 5); \
             if (fib(x) == 3) reach_error(); return 0; }}"
        ),
    );
}

#[test]
fn what_locals_hold_before_they_are_written() {
    expect("error", "int main(void) { int x; if (x == 5) reach_error(); return 0; }");
    expect(
        "error",
        "int main(void) { int x; int y = __VERIFIER_nondet_int(); if (x + y == 4711) reach_error(); \
         return 0; }",
    );
    expect(
        "error",
        "int main(void) { int s = 0; for (int i = 0; i < 3; i++) { short x; short *p = &x; \
         s += *p * (i + 1); }
         if (s == 77) reach_error(); return 0; }",
    );
    expect(
        "error",
        "int f(int n) { int x; if (n == 0) return x; int r = f(n - 1); return r == 1 && x == 2; }
         int main(void) { if (f(1)) reach_error(); return 0; }",
    );
}

#[test]
fn memory_of_every_layout() {
    expect(
        "error",
        "struct n { int v; struct n *next; }; int main(void) { struct n *h = 0; for (int i = 0; i < 3; i++) {
         struct n *e = malloc(sizeof *e); e->v = __VERIFIER_nondet_int(); e->next = h; h = e; }
         if (h->v == 5 && h->next->v == 6 && h->next->next->v == 7) reach_error(); return 0; }",
    );
    expect(
        "safe",
        "int main(void) { int a[8] = { 0 }; unsigned i = __VERIFIER_nondet_uint() % 8; a[i] = 3; int s = 0;
         for (int k = 0; k < 8; k++) s += a[k]; if (s != 3) reach_error(); return 0; }",
    );
    expect(
        "safe",
        "void set(int *p, int v) { *p = v; } int main(void) { int x = 1, y = 2; \
         int *p = __VERIFIER_nondet_int() ? &x : &y;
         set(p, 9); if (x + y != 11 && x + y != 10) reach_error(); return 0; }",
    );
    expect(
        "safe",
        "union u { unsigned w; unsigned char b[4]; }; int main(void) { union u u; \
         u.w = __VERIFIER_nondet_uint();
         if (u.b[0] != (u.w & 255) || u.b[3] != u.w >> 24) reach_error(); return 0; }",
    );
    expect(
        "safe",
        "struct b { unsigned a : 3; int c : 5; }; int main(void) { struct b s = { 0, 0 }; \
         s.a = __VERIFIER_nondet_uint();
         s.c = __VERIFIER_nondet_int(); if (s.a > 7 || s.c > 15 || s.c < -16) reach_error(); return 0; }",
    );
}

#[test]
fn what_is_not_understood_is_no_proof() {
    let source =
        "int setjmp(void *); int main(void) { if (__VERIFIER_nondet_int() == 99) setjmp(0); return 0; }";
    for encoding in [Encoding::Int, Encoding::BitVector] {
        let answer = answer(source, encoding);
        assert!(answer.starts_with("unknown: unsupported"), "{answer}");
    }
}
