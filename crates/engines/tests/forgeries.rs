//! Nothing that the checker accepts lets an execution reach an error: confirmed proofs are edited, the
//! programs too, and what an execution refutes must be refused. The truth comes from the interpreter, which
//! tries all inputs.
//!
//! `SUMMA_FORGERIES=200` takes so many programs, `SUMMA_FORGERIES_FROM` the first, `SUMMA_FORGERIES_EDITS` so
//! many edits of each.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs it off-line")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_engines::{Choice, Claim, Config, Outcome, Task, run};
use summa_facts::Analyses;
use summa_proof::{Proof, check};
use summa_testkit::programs::try_automata;
use summa_testkit::{
    KNOBS, Random, Truth, edited_program, edited_proof, generate, generate_recursive, replays, truth,
};

/// Of each kind of proof some: points, contracts, lemmas, induction, unrolling.
const PRESETS: &[&str] = &[
    "value",
    "interval",
    "predicate",
    "k-induction",
    "value-bam-rec",
    "interval-bam-rec",
    "predicate-bam-rec",
    "bmc",
];

/// So many edits of a program are tried for one with an error.
const PROGRAM_EDITS: usize = 60;
/// A check that takes longer is no confirmation.
const CHECK_TIME: Duration = Duration::from_millis(400);
const ENGINE_TIME: Duration = Duration::from_millis(250);

const HEAD: &str = "extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
static int input(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= -2 && x <= 5); return x; }
extern int end_of_the_environment;
";

/// What random programs rarely have: functions that do not return, the same function called for different
/// reasons, ways that meet.
const SHAPES: &[&str] = &[
    "int g; void f(int n) { if (g) g = 1; else g = 2; if (n == 3) reach_error(); }
     int main(void) { g = input(); f(1); f(2); return 0; }",
    "int x, y; void never(void) { y = 1; while (y == 1) y = 1; }
     int main(void) { x = input(); if (x == 9) never(); if (x == 7) reach_error(); if (x > 6) never(); \
     if (x > 6) reach_error(); return 0; }",
    "int x; int stop(int n) { if (n > 9) { while (n > 9) x = 0; } return n + 1; }
     int main(void) { int a = input(); int r = 0; if (a > 3) r = stop(a); else r = stop(1); \
     if (r > 9 || r < 2) reach_error(); return 0; }",
    "int a[4]; int *p; void set(int *q, int v) { *q = v; }
     int main(void) { int i = input(); if (i < 0 || i > 3) return 0; p = &a[i]; set(p, 2); set(&a[0], 1); \
     if (a[i] > 2) reach_error(); return 0; }",
    "int depth(int n) { int here = n; int *p = &here; if (n <= 0) return 0; return depth(*p - 1) + 1; }
     int main(void) { int n = input(); if (n > 4) return 0; if (depth(n) > 4) reach_error(); return 0; }",
    "int count; void tick(void) { int local = count; int *p = &local; count = *p + 1; }
     int main(void) { int n = input(); for (int i = 0; i < n; i++) { if (count < 3) tick(); \
     if (count > 3) reach_error(); } return 0; }",
    "struct S { unsigned f:3; int v; } s; int get(struct S *p) { return p->f; }
     int main(void) { s.f = input() & 3; s.v = 4; if (input() > 2) s.v = get(&s); \
     if (s.v > 4) reach_error(); return 0; }",
];

fn program(seed: u64) -> String {
    let shapes = SHAPES.len() as u64;
    match seed {
        shape if shape < shapes => format!("{HEAD}{}", SHAPES[shape as usize]),
        even if even % 2 == 0 => generate(even),
        odd => generate_recursive(odd),
    }
}

fn is_error(cfa: &Cfa) -> impl Fn(EdgeId) -> bool + Sync + '_ {
    |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. })
}

/// The proofs of a program, as data.
fn proofs(cfa: &Cfa) -> Vec<(&'static str, Json)> {
    let facts = Analyses::new(cfa);
    let counts = is_error(cfa);
    let mut found = Vec::new();
    for preset in PRESETS {
        let task = Task::new(cfa, &facts, Budget::with_time(ENGINE_TIME), &counts);
        let mut replay =
            |choices: &[Choice]| replays(cfa, choices.iter().map(|c| (&c.input, c.value.as_ref())));
        let report = run(&Config::preset(preset).unwrap(), &task, &mut replay);
        let Outcome::Claimed(Claim { proof: Ok(proof), .. }) = report.outcome else { continue };
        if check(cfa, &facts, &counts, &proof, &Budget::with_time(CHECK_TIME)).is_ok() {
            found.push((*preset, proof.to_json(cfa)));
        }
    }
    found
}

/// Edits of the program by which an error can be reached.
fn with_errors(text: &str, count: usize, random: &mut Random) -> Vec<(String, Cfa)> {
    let mut found: Vec<(String, Cfa)> = Vec::new();
    for _ in 0..PROGRAM_EDITS {
        if found.len() >= count {
            break;
        }
        let Some(edited) = edited_program(text, random) else { continue };
        if found.iter().any(|(known, _)| *known == edited) {
            continue;
        }
        let Ok(cfa) = try_automata(DataModel::Lp64, &edited) else { continue };
        if truth(&cfa) == Truth::Error {
            found.push((edited, cfa));
        }
    }
    found
}

#[test]
fn nothing_is_accepted_that_an_execution_refutes() {
    // Solvers need more stack than a test has.
    let large = std::thread::Builder::new().stack_size(512 << 20);
    large.spawn(edit_and_check).unwrap().join().unwrap();
}

fn edit_and_check() {
    let (count, first) = (KNOBS.forgeries.or(9), KNOBS.forgeries_from.or(0));
    let edits = KNOBS.forgeries_edits.or(20) as usize;
    let (mut bases, mut checked, mut well_formed) = (0, 0, 0);
    let mut by_edit: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accepted = Vec::new();
    for seed in first..first + count {
        let text = program(seed);
        let Ok(cfa) = try_automata(DataModel::Lp64, &text) else { panic!("seed {seed}:\n{text}") };
        if truth(&cfa) != Truth::Safe {
            continue;
        }
        let mut random = Random::new(seed);
        let proofs = proofs(&cfa);
        let wrong = with_errors(&text, 3, &mut random);
        if proofs.is_empty() || wrong.is_empty() {
            continue;
        }
        bases += 1;
        let analysed: Vec<Analyses> = wrong.iter().map(|(_, cfa)| Analyses::new(cfa)).collect();
        for number in 0..edits {
            let (preset, proof) = random.pick(&proofs);
            // The proof as it was, for each of the programs; then edits of it.
            let (data, done) = match number < proofs.len() {
                true => (proofs[number].1.clone(), vec!["none"]),
                false => edited_proof(proof, &mut random),
            };
            let at = random.below(wrong.len());
            let (text, cfa) = &wrong[at];
            checked += 1;
            let Ok(proof) = Proof::from_json(cfa, &data) else { continue };
            well_formed += 1;
            done.iter().for_each(|edit| *by_edit.entry(edit).or_default() += 1);
            let budget = Budget::with_time(CHECK_TIME);
            if check(cfa, &analysed[at], &is_error(cfa), &proof, &budget).is_ok() {
                println!("seed {seed}, {preset}, {done:?}:\n{text}\n{data:#}\n");
                accepted.push((seed, done));
            }
        }
    }
    println!("{bases} programs, {checked} edits, {well_formed} of them read: {by_edit:#?}");
    assert!(accepted.is_empty(), "accepted, though an execution reaches an error: {accepted:?}");
    assert!(bases > 0 && well_formed * 4 > checked, "{bases} programs, {well_formed} of {checked} proofs");
}
