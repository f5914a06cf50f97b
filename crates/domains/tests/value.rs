//! The value domain on small programs: the states that it reaches, laws of its lattice, and what refinement
//! finds.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use expect_test::{Expect, expect};
use std::fmt::Write;
use summa_base::{Budget, Id};
use summa_c::types::DataModel;
use summa_cfa::{Cfa, EdgeId, ErrorKind, Op};
use summa_cpa::{Arrival, Cpa, Layer, Outcome, Product, Reached, Status, Stop, cegar};
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::path::AbstractPath;
use summa_domains::specification::Specification;
use summa_domains::value::{
    CellId, Constant, Merge, Options, Precision, Restart, Scope, Value, ValueRefiner, Values,
};
use summa_domains::{AnyPrecision, AnyState, Domain};
use summa_facts::Analyses;

fn build(source: &str) -> Cfa {
    let declarations = "void reach_error(void); int nondet(void);\n";
    let loaded =
        summa_c::load::load_text("test.c", &format!("{declarations}{source}"), DataModel::Lp64).unwrap();
    summa_transform::build(loaded.program, &summa_cfa::BuildOptions::default()).unwrap()
}

struct Run {
    outcome: Result<Outcome<AbstractPath>, Stop>,
    /// Locations of `main` with what is known there, and how many states there are.
    states: String,
    /// The names of what is followed in the end.
    followed: Vec<String>,
    refinements: usize,
}

fn run(source: &str, options: Options, adjust: impl Fn(&mut ValueRefiner)) -> Run {
    let cfa = build(source);
    let facts = Analyses::new(&cfa);
    let is_violation = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { kind: ErrorKind::Call(_) });
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa: &cfa }),
        Domain::Callstack(Callstack::new(&cfa)),
        Domain::Specification(Specification::new(&cfa, Box::new(is_violation))),
        Domain::Value(Value::new(&cfa, &facts, options)),
    ]);
    let mut reached = Reached::new(vec![Layer::Breadth]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(&cfa, &product, cfa.entry(), state, precision);
    let mut refiner = ValueRefiner::new(3);
    adjust(&mut refiner);
    let budget = Budget::unlimited().at_most(std::time::Duration::from_secs(20));
    let outcome = cegar(&cfa, &mut product, &mut reached, &mut refiner, &budget);
    let Domain::Value(value) = &product.components[3] else { unreachable!() };
    let mut states = String::new();
    let mut followed = std::collections::BTreeSet::new();
    for id in reached.alive() {
        let node = &reached.nodes[id];
        let (AnyState::Value(known), AnyPrecision::Value(precision)) = (&node.state[3], &node.precision[3])
        else {
            unreachable!()
        };
        if let Some(cells) = precision.cells() {
            followed.extend(cells.iter().map(|cell| value.semantics.cells.name(&cfa.program, cell)));
        }
        if cfa.nodes[node.node].function != cfa.main {
            continue;
        }
        let by = node.parents.first().map_or(String::new(), |(_, by)| by.text(&cfa));
        let covered = match node.status {
            Status::Covered(by) => format!(" (covered by {by})"),
            _ => String::new(),
        };
        writeln!(states, "{id} at {} by `{by}`: {}{covered}", node.node, value.show(known)).unwrap();
    }
    Run { outcome, states, followed: followed.into_iter().collect(), refinements: refiner.refinements }
}

fn all() -> Options {
    Options::default()
}

fn lazy() -> Options {
    Options::lazy()
}

fn check(source: &str, options: Options, expected: Expect) {
    expected.assert_eq(&run(source, options, |_| {}).states);
}

// ---- transfer ----

#[test]
fn constants_are_followed_and_dead_variables_are_not() {
    check(
        "int g; int main() { int x = 3; int y = x * 2; g = y - 1; unsigned char c = g + 255; return c + g; }",
        all(),
        expect![[r#"
            s2 at n0 by `call main();`: 
            s3 at n1 by `int x;`: 
            s4 at n2 by `x = 3;`: {main::x = 3}
            s5 at n3 by `int y;`: {main::x = 3}
            s6 at n4 by `y = x * 2;`: {main::y = 6}
            s7 at n5 by `g = y - 1;`: {g = 5}
            s8 at n6 by `unsigned char c;`: {g = 5}
            s9 at n7 by `c = (unsigned char)(g + 255);`: {g = 5, main::c = 4}
            s10 at n8 by `return (int)c + g;`: {g = 5, main::__result = 9}
        "#]],
    );
}

#[test]
fn equalities_give_values_and_impossible_ones_end_paths() {
    check(
        "int main() { int x = nondet(); unsigned char c = nondet(); \
         if (x + 1 == 5) { if (x != 4) reach_error(); } \
         if (c > 255) reach_error(); if (c >= 255) return c; return 0; }",
        all(),
        expect![[r#"
            s1 at n0 by `call main();`: 
            s2 at n1 by `int x;`: 
            s3 at n2 by `x = nondet();`: 
            s4 at n3 by `unsigned char c;`: 
            s5 at n4 by `__tmp1 = nondet();`: 
            s6 at n5 by `c = (unsigned char)__tmp1;`: 
            s7 at n6 by `[x + 1 == 5]`: {main::x = 4}
            s8 at n8 by `[x + 1 != 5]`: 
            s9 at n8 by `[x == 4]`:  (covered by s8)
            s10 at n11 by `[(int)c <= 255]`: 
            s11 at n12 by `[(int)c >= 255]`: {main::c = 255}
            s12 at n13 by `[(int)c < 255]`: 
            s13 at n14 by `return (int)c;`: {main::__result = 255}
            s14 at n14 by `return 0;`: {main::__result = 0}
        "#]],
    );
}

#[test]
fn known_pointers_are_followed_and_others_forget() {
    check(
        "int a, b; int main() { int *p = &a; *p = 1; b = 2; p = nondet() ? &a : &b; *p = 7; \
         return a + b + *p; }",
        all(),
        expect![[r#"
            s3 at n0 by `call main();`: {a = 0, b = 0}
            s4 at n1 by `int *p;`: {a = 0, b = 0}
            s5 at n2 by `p = &a;`: {a = 0, b = 0, main::p = &a}
            s6 at n3 by `*p = 1;`: {a = 1, b = 0}
            s7 at n4 by `b = 2;`: {a = 1, b = 2}
            s8 at n5 by `__tmp1 = nondet();`: {a = 1, b = 2}
            s9 at n6 by `[__tmp1 != 0]`: {a = 1, b = 2}
            s10 at n7 by `[__tmp1 == 0]`: {a = 1, b = 2}
            s11 at n8 by `__tmp2 = &a;`: {a = 1, b = 2, main::__tmp2 = &a}
            s12 at n8 by `__tmp2 = &b;`: {a = 1, b = 2, main::__tmp2 = &b}
            s13 at n9 by `p = __tmp2;`: {a = 1, b = 2, main::p = &a}
            s14 at n9 by `p = __tmp2;`: {a = 1, b = 2, main::p = &b}
            s15 at n10 by `*p = 7;`: {a = 7, b = 2, main::p = &a}
            s16 at n10 by `*p = 7;`: {a = 1, b = 7, main::p = &b}
            s17 at n11 by `return a + b + *p;`: {a = 7, b = 2, main::__result = 16}
            s18 at n11 by `return a + b + *p;`: {a = 1, b = 7, main::__result = 15}
        "#]],
    );
}

#[test]
fn loops_end_by_their_counter_and_joins_forget() {
    check(
        "int main() { int i = 0; while (i < 2) { i = i + 1; } return i; }",
        all(),
        expect![[r#"
        s1 at n0 by `call main();`: 
        s2 at n1 by `int i;`: 
        s3 at n2 by `i = 0;`: {main::i = 0}
        s4 at n3 by `[i < 2]`: {main::i = 0}
        s5 at n2 by `i = i + 1;`: {main::i = 1}
        s6 at n3 by `[i < 2]`: {main::i = 1}
        s7 at n2 by `i = i + 1;`: {main::i = 2}
        s8 at n4 by `[i >= 2]`: {main::i = 2}
        s9 at n5 by `return i;`: {main::__result = 2}
    "#]],
    );
    check(
        "int main() { int x; if (nondet()) x = 1; else x = 2; return x; }",
        Options { merge: Merge::Join, ..all() },
        expect![[r#"
            s1 at n0 by `call main();`: 
            s2 at n1 by `int x;`: 
            s3 at n2 by `__tmp1 = nondet();`: 
            s4 at n3 by `[__tmp1 != 0]`: 
            s5 at n4 by `[__tmp1 == 0]`: 
            s6 at n5 by `x = 1;`: 
            s7 at n6 by `return x;`: 
        "#]],
    );
}

#[test]
fn activations_of_a_recursive_function_are_kept_apart() {
    let source = "int f(int n) { int mine = n; if (n > 0) f(n - 1); if (mine != n) reach_error(); \
                  return mine; } \
                  int main() { if (f(3) != 3) reach_error(); return 0; }";
    assert_eq!(run(source, all(), |_| {}).outcome, Ok(Outcome::Safe));
}

#[test]
fn a_limit_of_values_ends_loops_without_bound() {
    let source = "int main() { int i = 0; int ok = 1; while (nondet()) { i = i + 1; } \
        if (!ok) reach_error(); return i; }";
    let options = Options { distinct_values: Some(5), ..all() };
    assert_eq!(run(source, options, |_| {}).outcome, Ok(Outcome::Safe));
}

// ---- refinement ----

#[test]
fn only_what_matters_is_followed() {
    let source = "int main() { int flag = 1; int noise = 7; int more = noise + 1; \
                  while (nondet()) { more = more + noise; } if (flag == 0) reach_error(); return more; }";
    for restart in [Restart::Root, Restart::Pivot] {
        for scope in [Scope::Program, Scope::Location] {
            let run = run(source, lazy(), |refiner| (refiner.restart, refiner.scope) = (restart, scope));
            assert_eq!(run.outcome, Ok(Outcome::Safe));
            assert_eq!(run.followed, ["main::flag"]);
            assert!(run.refinements <= 2, "{} refinements", run.refinements);
        }
    }
}

/// What has many values is given up, until a refinement needs it.
#[test]
fn refinement_lifts_the_limit_of_values() {
    let source = "int main() { int i = 0; int j = 0; while (i < 40) { i = i + 1; } \
                  while (nondet()) { j = j + 1; } \
                  if (i != 40) reach_error(); return j; }";
    let run = run(source, Options { distinct_values: Some(5), ..all() }, |_| {});
    assert_eq!(run.outcome, Ok(Outcome::Safe));
    assert_eq!(run.refinements, 1);
}

#[test]
fn reasons_without_loop_counters_are_preferred() {
    let source = "int main() { int i = 0; int ok = 1; while (i < 1000) { i = i + 1; } \
                  if (ok == 1) return 0; reach_error(); return 1; }";
    let run = run(source, lazy(), |_| {});
    assert_eq!(run.outcome, Ok(Outcome::Safe));
    assert_eq!(run.followed, ["main::ok"]);
}

#[test]
fn chains_of_copies_through_calls_are_followed() {
    let source = "int state; int get(void) { return state; } void set(int v) { state = v; } int other = 5; \
                  int main() { set(2); other = nondet(); if (get() != 2) reach_error(); return other; }";
    let run = run(source, lazy(), |_| {});
    assert_eq!(run.outcome, Ok(Outcome::Safe));
    assert!(!run.followed.iter().any(|name| name.contains("other")), "{:?}", run.followed);
    assert!(run.followed.iter().any(|name| name == "state"));
}

#[test]
fn an_assumption_that_gives_the_value_makes_earlier_ones_needless() {
    let source =
        "int main() { int x = 5; int y = nondet(); if (y == 3) { if (y == 4) reach_error(); } return x; }";
    let run = run(source, lazy(), |_| {});
    assert_eq!(run.outcome, Ok(Outcome::Safe));
    assert_eq!(run.followed, ["main::y"]);
}

#[test]
fn paths_that_values_cannot_refute_are_given_out() {
    let source = "int main() { int x = nondet(); if (x > 10) { if (x < 5) reach_error(); } return 0; }";
    for options in [all(), lazy()] {
        let Ok(Outcome::Unsafe(path)) = run(source, options, |_| {}).outcome else {
            panic!("not refuted by values")
        };
        let cfa = build(source);
        assert_eq!(path.root, cfa.entry());
        assert!(path.moves.windows(2).all(|pair| pair[0].to == pair[1].from));
        let last = path.moves.last().unwrap();
        assert!(matches!(cfa.edges[last.step.edge()].op, Op::Error { .. }));
    }
}

/// What is tested once and holds on: values do not say it, that the cell is not zero does.
#[test]
fn conditions_on_inputs_are_remembered_where_refinement_asks() {
    let source = "int nondet(void); int main() { int hit = nondet(); int seen = 0; \
                  while (nondet()) { if (hit) seen = 1; } \
                  if (seen) { if (!hit) reach_error(); } return 0; }";
    let cfa = build(source);
    let facts = Analyses::new(&cfa);
    let mut value = Value::new(&cfa, &facts, all());
    let passes = |value: &mut Value<'_>, precision: &Precision, truths: &[bool]| {
        let limits = summa_domains::value::Limits { precision, distinct_values: None };
        let conditions: Vec<EdgeId> = cfa
            .edges
            .iter()
            .filter(|(_, edge)| edge.op.text(&cfa.program).contains("hit "))
            .filter(|(_, edge)| matches!(edge.op, Op::Assume { .. }))
            .map(|(id, _)| id)
            .collect();
        let mut state = Some(value.unknown());
        for &truth in truths {
            let is_meant = |edge: &&EdgeId| {
                let text = cfa.edges[**edge].op.text(&cfa.program);
                text == if truth { "[hit != 0]" } else { "[hit == 0]" }
            };
            let by = summa_cpa::Move::along(&cfa, *conditions.iter().find(is_meant).unwrap());
            state = state.and_then(|state| value.semantics.post(&state, by, limits));
        }
        state.is_some()
    };
    let (values, everything) = (Precision::all(), Precision::everything());
    assert!(passes(&mut value, &values, &[true, false]), "values alone cannot tell");
    assert!(!passes(&mut value, &everything, &[true, false]));
    assert!(passes(&mut value, &everything, &[true, true]));
    assert!(!passes(&mut value, &everything, &[false, true]));
}

/// Every interpolant, alone, lets the rest of its prefix fail.
#[test]
fn interpolants_refute_the_suffix() {
    let source = "int g; int f(int a) { return a + g; } int main() { int x = 2; int n = 0; g = 1; \
                  int y = f(x); \
                  if (nondet()) n = n + y; if (y != 3) reach_error(); return n; }";
    let cfa = build(source);
    let facts = Analyses::new(&cfa);
    let mut value = Value::new(&cfa, &facts, all());
    let moves = some_path_to_error(&cfa);
    let reasons = value.semantics.refute(&value.unknown(), &moves);
    let everything = Precision::everything();
    let limits = summa_domains::value::Limits { precision: &everything, distinct_values: None };
    assert!(!reasons.is_empty());
    for (_, reason) in &reasons {
        assert!(reason.interpolants[0].is_empty());
        for (position, interpolant) in reason.interpolants.iter().enumerate() {
            let mut state = Some(interpolant.clone());
            for &by in &moves[position..=reason.end] {
                state = state.and_then(|state| value.semantics.post(&state, by, limits));
            }
            assert!(state.is_none(), "from position {position}");
        }
    }
}

/// Depth-first through the locations, with a stack of calls, blind to values.
fn some_path_to_error(cfa: &Cfa) -> Vec<summa_cpa::Move> {
    use summa_cpa::{Move, Step};
    let mut todo = vec![(cfa.entry(), Vec::<EdgeId>::new(), Vec::<Move>::new())];
    while let Some((node, calls, path)) = todo.pop() {
        if let Some(last) = path.last()
            && matches!(cfa.edges[last.step.edge()].op, Op::Error { .. })
        {
            return path;
        }
        if path.len() > 200 {
            continue;
        }
        let mut moves: Vec<Move> = cfa.leaving(node).iter().map(|&edge| Move::along(cfa, edge)).collect();
        if moves.is_empty() {
            moves.extend(
                calls.last().and_then(|&call| Move::back(cfa, call)).filter(|back| back.from == node),
            );
        }
        for by in moves {
            let mut calls = calls.clone();
            match by.step {
                Step::Enter(call) => calls.push(call),
                Step::Leave(_) => drop(calls.pop()),
                Step::Edge(_) => {}
            }
            let mut path = path.clone();
            path.push(by);
            todo.push((by.to, calls, path));
        }
    }
    Vec::new()
}

// ---- the lattice ----

struct Dice(u64);

impl Dice {
    /// SplitMix64.
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    }
}

#[test]
fn laws_of_the_lattice() {
    let cfa = build("int a[20], b, c; struct { int x, y; } s; int main() { return a[0] + b + c + s.x; }");
    let facts = Analyses::new(&cfa);
    let mut value = Value::new(&cfa, &facts, Options { merge: Merge::Join, ..all() });
    let cells = value.semantics.cells.len() as u64;
    let mut dice = Dice(7);
    let mut states: Vec<Values> = vec![value.unknown()];
    for _ in 0..60 {
        // Close to another state, so that some are comparable.
        let mut state = states[dice.below(states.len() as u64) as usize].clone();
        for _ in 0..dice.below(6) {
            let cell = CellId::from_index(dice.below(cells) as usize);
            match dice.below(3) {
                0 => state.forget(cell),
                number => state.set(cell, Constant::Int(number.into())),
            }
        }
        states.push(state);
    }
    let precision = Precision::all();
    let at = Arrival { node: cfa.entry(), by: None, is_target: false };
    let mut comparable = 0;
    for a in &states {
        assert!(value.stop(a, a, &precision).unwrap());
        for b in &states {
            let is_below = value.stop(a, b, &precision).unwrap();
            comparable += usize::from(is_below && a != b);
            assert!(!(is_below && value.stop(b, a, &precision).unwrap()) || a == b);
            let joined = value.merge(a, b, &precision, &at).unwrap().unwrap();
            assert!(value.stop(a, &joined, &precision).unwrap());
            assert!(value.stop(b, &joined, &precision).unwrap());
            assert!(!is_below || joined == *b);
            for c in states.iter().step_by(7) {
                if is_below && value.stop(b, c, &precision).unwrap() {
                    assert!(value.stop(a, c, &precision).unwrap());
                }
                let is_upper = value.stop(a, c, &precision).unwrap() && value.stop(b, c, &precision).unwrap();
                assert!(
                    !is_upper || value.stop(&joined, c, &precision).unwrap(),
                    "the join is the least upper bound"
                );
            }
        }
    }
    assert!(comparable > 50);
}
