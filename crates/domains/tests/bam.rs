//! The engine of block-abstraction memoization computes what Algorithms 1 and 2 of the paper define, for
//! every domain: same exits of the program, on random recursive programs; and what it says of recursion in
//! fixed programs.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they did")]

use std::time::Duration;
use summa_bam::reference::Reference;
use summa_bam::{Bam, Settings, Solved};
use summa_base::Budget;
use summa_cfa::{Cfa, Op};
use summa_cpa::{Cpa, Layer, Product};
use summa_domains::callstack::Callstack;
use summa_domains::interval::Intervals;
use summa_domains::linear::Linear;
use summa_domains::location::Location;
use summa_domains::octagon::Octagons;
use summa_domains::scalars;
use summa_domains::sign::SignDomain;
use summa_domains::specification::Specification;
use summa_domains::value::Value;
use summa_domains::{AnyState, Domain};
use summa_facts::Analyses;
use summa_facts::blocks::{Blocks, Partition};
use summa_testkit::{KNOBS, automata, generate_recursive};

type Make = for<'a> fn(&'a Cfa, &'a Analyses) -> Domain<'a>;

/// States are kept apart, so that the order of the work does not show.
const APART: scalars::Options = scalars::Options {
    merge: scalars::Merge::Sep,
    joins: 2,
    threshold_rounds: 12,
    split_calls: 0,
    entry_cases: 0,
    entry_steps: false,
};

const DOMAINS: &[(&str, Make)] = &[
    ("location", |cfa, _| Domain::Location(Location { cfa })),
    ("value", |cfa, facts| Domain::Value(Value::new(cfa, facts, summa_domains::value::Options::default()))),
    ("interval", |cfa, facts| Domain::Interval(Intervals::new(cfa, facts, APART))),
    ("sign", |cfa, facts| Domain::Sign(SignDomain::new(cfa, facts, APART))),
    ("linear", |cfa, facts| {
        let mut domain = Linear::new(cfa, facts);
        domain.merges = false;
        Domain::Linear(domain)
    }),
    ("octagon", |cfa, facts| {
        let mut domain = Octagons::new(cfa, facts);
        domain.merges = false;
        Domain::Octagon(domain)
    }),
];

fn product<'a>(cfa: &'a Cfa, facts: &'a Analyses, make: Make) -> Product<Domain<'a>> {
    let is_error = |edge| matches!(cfa.edges[edge].op, Op::Error { .. });
    let mut components = vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Specification(Specification::new(cfa, Box::new(is_error))),
    ];
    components.push(make(cfa, facts));
    Product::new(components)
}

const LAYERS: [Layer; 1] = [Layer::Unrolled];

fn engine<'a>(
    cfa: &'a Cfa,
    facts: &'a Analyses,
    blocks: &'a Blocks,
    make: Make,
) -> Bam<'a, Product<Domain<'a>>> {
    Bam::new(cfa, blocks, product(cfa, facts, make), Settings::default(), LAYERS.to_vec())
}

/// Runs to the end, targets or not; how many targets.
fn finish(bam: &mut Bam<'_, Product<Domain<'_>>>, budget: &Budget) -> Option<usize> {
    let mut targets = 0;
    loop {
        match bam.solve(budget) {
            Ok(Solved::Complete) => return Some(targets),
            Ok(Solved::Target(_)) => targets += 1,
            Err(_) => return None,
        }
    }
}

/// Every state of the first list is covered by one of the second.
fn covers(
    cpa: &mut Product<Domain<'_>>,
    states: &[std::rc::Rc<[AnyState]>],
    by: &[std::rc::Rc<[AnyState]>],
) -> bool {
    let (_, precision) = cpa.initial(summa_base::Id::from_index(0));
    states.iter().all(|state| by.iter().any(|other| cpa.stop(state, other, &precision).unwrap()))
}

#[test]
fn the_engine_reaches_what_the_paper_defines() {
    let (mut compared, mut given_up, mut returning) = (0, 0, 0);
    for seed in 0..KNOBS.bam_seeds.or(25) {
        let text = generate_recursive(seed);
        let cfa = automata(&text);
        let facts = Analyses::new(&cfa);
        // Where short functions are parts of their callers, so is `main`: then both only have to end.
        let inline = if seed % 4 == 3 { 30 } else { 0 };
        let blocks = Blocks::new(&cfa, &facts, Partition::Functions, inline);
        for &(name, make) in DOMAINS {
            let budget = Budget::with_time(Duration::from_millis(100));
            let mut reference =
                Reference::new(&cfa, &blocks, product(&cfa, &facts, make), LAYERS.to_vec(), 60);
            let mut bam = engine(&cfa, &facts, &blocks, make);
            let (Ok(_), Some(_)) = (reference.fixed_point(&budget), finish(&mut bam, &budget)) else {
                given_up += 1;
                continue;
            };
            // The program itself ends, and has no exits: those of `main` are compared.
            // Where it is a part of the program's block, there are none to compare.
            let Some(main) = blocks.entered_at(cfa.automaton(cfa.main).unwrap().entry) else {
                continue;
            };
            let expected = reference.exits(main);
            let summaries = bam.store.summaries.values().filter(|summary| summary.block == main);
            let found: Vec<_> =
                summaries.flat_map(|summary| &summary.exits).map(|exit| exit.state.clone()).collect();
            returning += usize::from(!expected.is_empty());
            assert!(
                covers(&mut bam.cpa, &expected, &found),
                "{name}, seed {seed}: an exit is missing\n{text}"
            );
            assert!(covers(&mut bam.cpa, &found, &expected), "{name}, seed {seed}: an exit too many\n{text}");
            compared += 1;
        }
    }
    eprintln!("{compared} analyses agree with the reference, {given_up} were given up");
    assert!(compared > given_up, "most programs must be compared");
    assert!(returning * 2 > compared, "in most programs `main` returns: {returning} of {compared}");
}

/// How often each function was summarised, and what was saved.
fn work(text: &str, make: Make) -> (usize, u64, u64, u64) {
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let mut bam = engine(&cfa, &facts, &blocks, make);
    let targets = finish(&mut bam, &Budget::with_time(Duration::from_secs(60))).unwrap();
    (targets, bam.counters.created, bam.counters.hits, bam.counters.cuts)
}

#[test]
fn equal_entries_are_analysed_once() {
    // `main` and `twice` with 1 and with 2.
    let text = "extern void __VERIFIER_error(void);
        static int twice(int x) { return x + x; }
        int main(void) {
            int a = twice(1), b = twice(2), c = twice(1), d = twice(2);
            if (a + b + c + d != 12) __VERIFIER_error();
            return 0;
        }";
    assert_eq!(work(text, DOMAINS[1].1), (0, 3, 2, 0));
}

#[test]
fn recursion_with_values_is_memoised() {
    // Without memoization fib(25) has 242785 activations.
    let text = "extern void __VERIFIER_error(void);
        static int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
        int main(void) { if (fib(25) != 75025) __VERIFIER_error(); return 0; }";
    let (targets, created, ..) = work(text, DOMAINS[1].1);
    assert_eq!((targets, created), (0, 27));
}

#[test]
fn unbounded_recursion_ends() {
    let text = "extern void __VERIFIER_error(void);
        extern int __VERIFIER_nondet_int(void);
        int depth = 0;
        static int down(int n) { depth = 1; if (n <= 0) return 7; return down(n - 1); }
        int main(void) {
            if (down(__VERIFIER_nondet_int()) != 7) __VERIFIER_error();
            if (depth != 1) __VERIFIER_error();
            return 0;
        }";
    for &(name, make) in &DOMAINS[1..3] {
        let (targets, _, hits, cuts) = work(text, make);
        assert_eq!(targets, 0, "{name}");
        assert!(hits + cuts > 0, "{name}");
    }
}

#[test]
fn recursion_that_grows_is_widened() {
    let text = "extern int __VERIFIER_nondet_int(void);
        static int up(int n) { if (__VERIFIER_nondet_int()) return n; return up(n + 1); }
        int main(void) { return up(0); }";
    for &(name, make) in &DOMAINS[1..3] {
        let cfa = automata(text);
        let facts = Analyses::new(&cfa);
        let blocks = facts.blocks(&cfa, Partition::Functions);
        let mut bam = engine(&cfa, &facts, &blocks, make);
        bam.settings.widen_after = 5;
        finish(&mut bam, &Budget::with_time(Duration::from_secs(60))).unwrap();
        assert!(bam.counters.widened > 0, "{name}");
    }
}

#[test]
fn deep_call_chains_need_no_stack_of_the_host() {
    let text = "extern void __VERIFIER_error(void);
        static int a(int n), b(int n), c(int n);
        static int a(int n) { return n ? b(n - 1) : 0; }
        static int b(int n) { return n ? c(n - 1) : 0; }
        static int c(int n) { return n ? a(n - 1) : 0; }
        int main(void) { if (a(100000)) __VERIFIER_error(); return 0; }";
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let mut bam = engine(&cfa, &facts, &blocks, DOMAINS[1].1);
    bam.settings.widen_after = u32::MAX;
    assert_eq!(finish(&mut bam, &Budget::with_time(Duration::from_secs(300))), Some(0));
    assert_eq!(bam.counters.created, 100_002);
}

#[test]
fn an_error_path_through_summaries_is_written_out() {
    let text = "extern void __VERIFIER_error(void);
        int g = 0;
        static void inc(void) { g = g + 1; }
        static void check(int limit) { inc(); if (g > limit) __VERIFIER_error(); }
        int main(void) { inc(); inc(); check(2); return 0; }";
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let mut bam = engine(&cfa, &facts, &blocks, DOMAINS[1].1);
    let Ok(Solved::Target(target)) = bam.solve(&Budget::unlimited()) else { panic!("there is an error") };
    let moves = bam.flatten(&bam.frames(target)).unwrap();
    let entered = |name: &str| {
        let calls = moves.iter().filter(|by| matches!(by.step, summa_cpa::Step::Enter(_)));
        calls.filter(|by| bam.callee_name(**by) == name).count()
    };
    assert_eq!((entered("inc"), entered("check")), (3, 1));
    let left = moves.iter().filter(|by| matches!(by.step, summa_cpa::Step::Leave(_))).count();
    assert_eq!(left, 3, "the error is inside `check`");
    for pair in moves.windows(2) {
        assert_eq!(pair[0].to, pair[1].from, "moves follow each other");
    }
}

/// A refinement interrupts the work; what it keeps must not be taken for complete.
#[test]
fn nothing_is_lost_when_summaries_are_dropped() {
    let text = "extern void __VERIFIER_error(void);
        extern int __VERIFIER_nondet_int(void);
        static int inner(int x) {
            if (x == 1) __VERIFIER_error();
            if (x == 2) __VERIFIER_error();
            if (x == 3) __VERIFIER_error();
            return 0;
        }
        static int outer(int x) { return inner(x); }
        int main(void) { return outer(__VERIFIER_nondet_int()); }";
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let mut bam = engine(&cfa, &facts, &blocks, DOMAINS[1].1);
    let budget = Budget::with_time(Duration::from_secs(60));
    for _ in 0..2 {
        assert!(matches!(bam.solve(&budget), Ok(Solved::Target(_))));
        bam.forget(|_| false);
    }
    assert_eq!(finish(&mut bam, &budget), Some(3));
}

const TWO_CALLS: &str = "extern void __VERIFIER_error(void);
    extern int __VERIFIER_nondet_int(void);
    static int next(int x) { int y = x; y = y + 1; return y; }
    int main(void) { next(__VERIFIER_nondet_int()); if (next(5) != 6) __VERIFIER_error(); return 0; }";

/// A weaker summary stands in until a target shows that it is too weak: then the entry gets its own, and
/// nothing is refined.
#[test]
fn what_was_borrowed_is_repaired() {
    let cfa = automata(TWO_CALLS);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    let mut bam = engine(&cfa, &facts, &blocks, DOMAINS[1].1);
    bam.settings.borrow = true;
    let budget = Budget::with_time(Duration::from_secs(60));
    let Ok(Solved::Target(target)) = bam.solve(&budget) else {
        panic!("the summary of any number is too weak")
    };
    let borrowed = bam.borrowed_on(&bam.frames(target));
    assert_eq!((borrowed.len(), bam.counters.borrowed), (1, 1));
    assert!(bam.repair(&borrowed).unwrap());
    let before = bam.counters.hits;
    assert!(matches!(bam.solve(&budget), Ok(Solved::Complete)));
    assert_eq!(bam.counters.borrowed, 1, "the entry must not be lent to again");
    assert!(bam.counters.hits > before, "the summary of any number is still there");
    assert!(!bam.repair(&borrowed).unwrap(), "there is nothing to repair any more");
}

/// Functions that are called from one place, and short ones, have no summaries of their own.
#[test]
fn callers_take_short_functions_in() {
    let cfa = automata(TWO_CALLS);
    let facts = Analyses::new(&cfa);
    let mut created = Vec::new();
    for inline in [0, 1, 30] {
        let blocks = Blocks::new(&cfa, &facts, Partition::Functions, inline);
        let mut bam = engine(&cfa, &facts, &blocks, DOMAINS[1].1);
        assert_eq!(finish(&mut bam, &Budget::with_time(Duration::from_secs(60))), Some(0));
        created.push(bam.counters.created);
    }
    assert_eq!(created, [3, 2, 0], "main and two entries of next; the two entries; none");
}
