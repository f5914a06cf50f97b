//! Laws of the operators that make summaries (reduce, expand, rebuild, the key, widening of entries), for
//! every domain.
//!
//! * Over-approximation: a concrete run is followed with the transfer relation. Where it enters a function or
//!   a loop, the state is reduced; where it comes out, expanded and rebuilt; the state always describes the
//!   run. Some blocks, drawn by chance, are entered without, so that blocks meet plain calls on both sides.
//!   In some runs entries are widened as well, by an earlier entry of the same block.
//! * Nothing is lost: outside of all blocks the state is as it would be without blocks.
//! * Equal keys: reduced states that cover each other. The key changes with each binding of an input, and
//!   with no other.
//! * Chains of widened entries grow, and end.
//! * A state that is reduced and expanded at once is still covered; in a block that writes nothing, nothing
//!   changed.
//!
//! Programs: random ones, about recursion and other ones, the suites, and a few that are here for a reason.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they did")]

mod entries;
mod follow;
#[path = "../laws/meaning.rs"]
mod meaning;

use follow::{Counts, Follower};
use meaning::*;
use summa_base::{Id, IdSet};
use summa_c::types::DataModel;
use summa_cfa::Cfa;
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::value::{CellId, Options as ValueOptions, Precision, Value};
use summa_domains::{AnyState, Domain};
use summa_facts::Analyses;
use summa_facts::blocks::Partition;
use summa_interp::{InputRequest, InputSource, InputValue, Policy};
use summa_testkit::{KNOBS, Random, automata, generate, generate_recursive, programs_in, read};

/// How a domain is made, and what its states mean.
struct Law {
    name: &'static str,
    make: for<'a> fn(&'a Cfa, &'a Analyses) -> Domain<'a>,
    describes: fn(&Domain<'_>, &AnyState, &Concrete<'_, '_>) -> bool,
    /// Does a block see the calls around it?
    keeps_stack: bool,
    /// Is a followed state outside of all blocks what it would be without blocks?
    is_exact: bool,
}

macro_rules! laws {
    ($(
        $test:ident: $make:expr, $describes:expr, stack: $keeps_stack:literal, exact: $is_exact:literal;
    )*) => {$(
        #[test]
        fn $test() {
            check_all(&Law {
                name: stringify!($test),
                make: $make,
                describes: $describes,
                keeps_stack: $keeps_stack,
                is_exact: $is_exact,
            });
        }
    )*};
}

laws! {
    location_is_summarised: |cfa, _| Domain::Location(Location { cfa }), location, stack: false, exact: true;
    callstack_is_summarised:
        |cfa, _| Domain::Callstack(Callstack::new(cfa)), callstack, stack: false, exact: true;
    callstack_is_kept: kept_callstack, callstack, stack: true, exact: true;
    specification_is_summarised: specification, nothing_observed, stack: false, exact: true;
    loop_bound_is_summarised: loop_bound, not_cut, stack: false, exact: true;
    interval_is_summarised: interval, interval_describes, stack: false, exact: true;
    sign_is_summarised: sign, sign_describes, stack: false, exact: true;
    linear_is_summarised: linear, linear_describes, stack: false, exact: false;
    octagon_is_summarised: octagon, octagon_describes, stack: false, exact: false;
    value_is_summarised: value, value_describes, stack: false, exact: true;
    some_values_are_summarised: some_values, value_describes, stack: false, exact: true;
    few_values_are_summarised: few_values, value_describes, stack: false, exact: false;
}

fn kept_callstack<'a>(cfa: &'a Cfa, _: &'a Analyses) -> Domain<'a> {
    let mut domain = Callstack::new(cfa);
    domain.keep_stack = true;
    Domain::Callstack(domain)
}

/// About two of three cells are followed, everywhere.
fn some_values<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    let mut domain = Value::new(cfa, facts, ValueOptions::lazy());
    let mut random = Random::new(domain.semantics.cells.len() as u64);
    let cells = (0..domain.semantics.cells.len()).filter(|_| random.chance(67)).map(CellId::from_index);
    domain.precision = Precision::of(cells.collect::<IdSet<CellId>>());
    Domain::Value(domain)
}

/// A cell is given up when it has had more than two values.
fn few_values<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::Value(Value::new(
        cfa,
        facts,
        ValueOptions { distinct_values: Some(2), ..ValueOptions::default() },
    ))
}

/// Small numbers, which most assumptions about inputs let pass.
struct Small(Random);

impl InputSource for Small {
    fn next(&mut self, _: &InputRequest) -> Option<InputValue> {
        Some(InputValue::Int(self.0.between(0, 3).into()))
    }
}

const MAX_STEPS: u64 = 2_500;

fn check_program(cfa: &Cfa, law: &Law, counts: &mut Counts) -> Result<(), String> {
    let facts = Analyses::new(cfa);
    let blocks = facts.blocks(cfa, Partition::FunctionsAndLoops);
    let mut domain = (law.make)(cfa, &facts);
    let program = summa_interp::Program::new(cfa);
    let policy = Policy { max_steps: MAX_STEPS, ..Policy::reachability() };
    let mut entries = entries::Entries::default();
    for seed in 0..4 {
        let mut follower = Follower::new(cfa, &facts, law, &blocks, &mut domain, &mut entries, seed);
        summa_interp::run_observed(&program, &mut Small(Random::new(seed)), &policy, &mut follower);
        counts.add(&follower.counts);
        if let Some(failure) = follower.failure {
            return Err(failure);
        }
    }
    entries.check(&facts, &blocks, &mut domain, counts)
}

fn check_all(law: &Law) {
    let (mut counts, mut failures) = (Counts::default(), Vec::new());
    let mut check = |name: String, text: &str, cfa: &Cfa| {
        counts.programs += 1;
        if let Err(failure) = check_program(cfa, law, &mut counts) {
            failures.push(format!("{name}: {failure}\n{text}"));
        }
    };
    for (i, text) in PROGRAMS.iter().enumerate() {
        check(format!("program {i}"), text, &automata(text));
    }
    for seed in 0..KNOBS.seeds.or(300) {
        let text = generate_recursive(seed);
        check(format!("recursive program {seed}"), &text, &automata(&text));
        if seed % 3 == 0 {
            let text = generate(seed);
            check(format!("program of seed {seed}"), &text, &automata(&text));
        }
    }
    let folders = ["tests/conformance", "tests/programs/language", "tests/programs/memory"];
    for path in programs_in(&folders) {
        if let Some(cfa) = read(&path, DataModel::Lp64) {
            check(path.display().to_string(), "", &cfa);
        }
    }
    eprintln!("{}: {counts:?}", law.name);
    assert!(failures.is_empty(), "{} failures, the first: {}", failures.len(), failures[0]);
    assert!(counts.functions > 1000 && counts.loops > 500 && counts.keys > 100, "{counts:?}");
}

const PROGRAMS: &[&str] = &[
    // A block that writes nothing.
    "extern void reach_error(void); int g = 3, h = 4;
     void check(int x) { if (g + x < h) reach_error(); }
     int main(void) { int a = 7; check(a); g++; check(a + 1); check(a); return 0; }",
    // The callee has variables of the same name alive in an older activation, behind another function.
    "int f(int n, int k); int g(int n, int k) { int l = n + k; int r = f(n - 1, l); return r + l; }
     int f(int n, int k) { int z = 2 * n; if (n <= 0) return k; int r = g(n - 1, k + 1); return r + z + k; }
     int main(void) { int a = f(5, 1), b = g(4, 2) - f(3, a); return a + b; }",
    // Pointers to variables of callers, handed down.
    "int g; void set(int *p, int v) { if (v > 3) *p = v; else { set(p, v + 1); g += *p; } }
     void both(int *p, int *q) { int t = 0; set(p, g); set(&t, 2); set(q, t + 1); }
     int main(void) { int x = 1, y = 2, z = 3; both(&x, &y); both(&y, &g); return x + y + z + g; }",
    // Records in and out, arrays of the caller, a static local.
    "struct s { int a; char b[3]; }; int t[4] = {1, 2, 3, 4};
     struct s make(int n) { static int calls; struct s r = {n, {1, 2, 3}}; calls++; \
     if (n > 0) { struct s q = make(n - 1); r.a += q.a; r.b[1] = q.b[0] + calls; } return r; }
     int main(void) { struct s one = make(3), two = make(1); t[one.b[1] & 3] = two.a; for (int i = 0; i < 3; \
     i++) t[i] = make(i).a; return t[2]; }",
    // Loops with calls, nested, left from the middle.
    "int g; int f(int n) { for (int i = 0; i < n; i++) { for (int j = 0; ; j++) { if (j > i) break; \
     if (g > 20) return j; g += f(n - 2); } g++; } return n; }
     int main(void) { int a = 1; do { a += f(a + 3); } while (a < 30 && g < 50); return a; }",
    // A callee that writes what it never reads, and reads what it never writes.
    "int in = 5, out, other = 9; void f(int n) { if (n) f(n - 1); else out = in; }
     int main(void) { for (int i = 0; i < 3; i++) { f(i); in = in + out; } return other; }",
    // Pointers to variables of a recursive function; its older activations change them.
    "int f(int n, int *up) { int own = n; if (up) *up += 1; if (n > 0) { int r = f(n - 1, &own); \
     return r + own; } return own; }
     int main(void) { int x = 1; return f(4, &x) + x; }",
];
