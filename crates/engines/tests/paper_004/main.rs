//! The running example of Beyer, Dangl, Wendler, *A Unifying View on SMT-Based Software Verification*, JAR
//! 2018: the program of Fig. 2 under all four engines with the graphs of Figs. 5 to 8, and Examples 2 to 5.
//!
//! States are named as in the paper. What lies outside of the paper's program is left out: the start function
//! that calls `main`, and the second node of a declaration with initialiser, which is two edges here. φ is
//! written over the values at the start of the block, with x' and y' for those at the end. One more
//! difference is everywhere: an error is an edge, not a location, so `l8` has a successor, called `error`.
//! BMC does the same in the paper (e9 of Fig. 5); where blocks end at the error it is the abstraction state,
//! and l8 before it is one more intermediate state.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod example;

use example::*;
use expect_test::{Expect, expect};
use std::rc::Rc;
use summa_base::Budget;
use summa_cpa::{CpaPlusPlus, Refinement, Refiner, Status, cegar};
use summa_domains::predicate::{
    PredicatePrecision, PredicateRefiner, PredicateState, Representation, Settings, Strategy, predicate_of,
};
use summa_domains::{AnyPrecision, AnyState};
use summa_encode::{Encoding, PathId};
use summa_engines::config::EncodingChoice;
use summa_engines::graph::Graph;
use summa_engines::k_induction::{base_graph, step_graph};
use summa_engines::{Config, Outcome, Task, run};
use summa_logic::Block;
use summa_term::Terms;

/// Fig. 2, with its line numbers.
const FIGURE_2: &str =
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int main(void) {
  int x = 0;
  int y = 0;
  while (x < 2) {
    x++;
    y++;
    if (x != y) {
      reach_error();
    }
  }
  return 0;
}
";

// Table 1 of the paper.
const PREDICATE_ABSTRACTION: Settings = Settings::ABSTRACTION;
const IMPACT: Settings =
    Settings { representation: Representation::Term, strategy: Strategy::Impact, ..PREDICATE_ABSTRACTION };

/// The places of the figures in the order in which the paper numbers them: k-th mention, k-th state there.
const FIGURE_5: &[&str] = &["l2", "l3", "l4", "l11", "l12", "l5", "l6", "l7", "l8", "error", "l4"];
const FIGURE_6: &[&str] = &[
    "l4", "l11", "l12", "l5", "l6", "l7", "l8", "error", "l4", "l11", "l12", "l5", "l6", "l7", "l8", "error",
    "l4",
];
const FIGURE_7: &[&str] = &["l2", "l3", "l4", "l11", "l12", "l5", "l6", "l7", "l4"];
const FIGURE_8: &[&str] =
    &["l2", "l3", "l4", "l11", "l12", "l5", "l6", "l7", "error", "l4", "l5", "l6", "l7", "error"];

fn check_graph(example: &Example, mut graph: Graph<'_>, order: &[&str], expected: &Expect) {
    expected.assert_eq(&example.draw(&mut graph.product, &graph.reached, order));
}

// ---- Section 3 ----

/// Example 2: (x = y ∧ φ)_𝔹^{x = y} is x = y, for the path φ from l4 through the loop body to l7.
#[test]
fn example_2_boolean_abstraction() {
    let example = Example::new(FIGURE_2);
    let (mut product, reached, _) = example.counterexample(PREDICATE_ABSTRACTION);
    let body = reached.reached().find(|&id| reached.nodes[id].node == example.node("l7")).unwrap();
    let (index, predicate) = predicate_of(&mut product).unwrap();
    let AnyState::Predicate(PredicateState { path: body, .. }) = reached.nodes[body].state[index] else {
        panic!("another domain")
    };
    expect!["(bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y)"].assert_eq(&path_formula(predicate, body));
    let equal = equal(predicate);
    assert_eq!(predicate.abstract_formula(equal, body, &[equal]).unwrap(), Some(equal));
    // Without the premise nothing is known; the contrary stays as well.
    assert_eq!(predicate.abstract_formula(Terms::TRUE, body, &[equal]).unwrap(), Some(Terms::TRUE));
    let different = predicate.logic.paths.encoder.terms.not(equal);
    assert_eq!(predicate.abstract_formula(different, body, &[equal]).unwrap(), Some(different));
}

/// Example 3: inductive interpolants of ⟨φ₁, φ₂⟩, from the start to l4 and through the loop to the error.
#[test]
fn example_3_interpolation() {
    let example = Example::new(FIGURE_2);
    let (mut product, reached, target) = example.counterexample(PREDICATE_ABSTRACTION);
    let states = abstraction_states(&product, &reached, target);
    let (_, predicate) = predicate_of(&mut product).unwrap();
    let blocks: Vec<PathId> =
        states.iter().map(|(_, state)| predicate.abstractions[state.abstraction].block.unwrap().1).collect();
    let chain: Vec<Block> = blocks.iter().map(|&path| Block::alone(path)).collect();
    let chain = predicate.logic.chain(&chain);
    let interpolants = predicate.logic.interpolants(&chain, false).unwrap();
    let [between, last] = interpolants[..] else { panic!("{interpolants:?}") };
    expect!["(= x y)"].assert_eq(&readable(predicate, between));
    // The definition: τ₂ = false, φ₁ ⇒ τ₁, τ₁ ∧ φ₂ ⇒ false.
    assert_eq!(last, Terms::FALSE);
    assert_eq!(predicate.abstract_formula(Terms::TRUE, blocks[0], &[between]).unwrap(), Some(between));
    assert_eq!(predicate.abstract_formula(between, blocks[1], &[Terms::FALSE]).unwrap(), None);
    // The paper's interpolant is one as well.
    let equal = equal(predicate);
    assert_eq!(predicate.abstract_formula(Terms::TRUE, blocks[0], &[equal]).unwrap(), Some(equal));
    assert_eq!(predicate.abstract_formula(equal, blocks[1], &[Terms::FALSE]).unwrap(), None);
}

/// Example 4: e₁ is strengthened in place, e₂ became false and is gone, nothing else changes.
#[test]
fn example_4_impact_refinement() {
    let example = Example::new(FIGURE_2);
    let (mut product, mut reached, target) = example.counterexample(IMPACT);
    expect![[r#"
        e0: l2, ψ: true, φ: true
        e1: l3, ψ: true, φ: x' = 0, from e0
        e2: l4, ψ: true, φ: true, from e1
        e3: l11, ψ: true, φ: (bvsle 2 x), from e2
        e4: l12, ψ: true, φ: (bvsle 2 x), from e3
        e5: l5, ψ: true, φ: (bvsle x 1), from e2
        e6: l6, ψ: true, φ: (bvsle x 1) ∧ x' = (bvadd 1 x), from e5
        e7: l7, ψ: true, φ: (bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e6
        e8: error, ψ: true, φ: true, from +, waiting
        e9: l4, ψ: true, φ: true, from e7, covered by e2
        +: l8, ψ: true, φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e7
    "#]]
    .assert_eq(&example.draw(&mut product, &reached, FIGURE_8));
    let refined = PredicateRefiner::default().refine(&mut product, &mut reached, target).unwrap();
    assert!(matches!(refined, Refinement::Refined));
    assert_eq!(reached.nodes[target].status, Status::Removed);
    expect![[r#"
        e0: l2, ψ: true, φ: true
        e1: l3, ψ: true, φ: x' = 0, from e0
        e2: l4, ψ: (= x y), φ: true, from e1
        e3: l11, ψ: (= x y), φ: (bvsle 2 x), from e2
        e4: l12, ψ: (= x y), φ: (bvsle 2 x), from e3
        e5: l5, ψ: (= x y), φ: (bvsle x 1), from e2
        e6: l6, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x), from e5
        e7: l7, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e6
        e8: error, removed
        e9: l4, ψ: true, φ: true, from e7, waiting
        +: l8, ψ: (= x y), φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e7
    "#]]
    .assert_eq(&example.draw(&mut product, &reached, FIGURE_8));
}

/// Example 5: the atoms of the interpolants are the new precision; the pivot e₁ goes with all below it, and
/// its parent waits with the new precision.
#[test]
fn example_5_predicate_refinement() {
    let example = Example::new(FIGURE_2);
    let (mut product, mut reached, target) = example.counterexample(PREDICATE_ABSTRACTION);
    let pivot = abstraction_states(&product, &reached, target)[0].0;
    let parent = reached.nodes[pivot].parents[0].0;
    let refined = PredicateRefiner::default().refine(&mut product, &mut reached, target).unwrap();
    assert!(matches!(refined, Refinement::Refined));
    assert_eq!(reached.nodes[pivot].status, Status::Removed);
    assert_eq!(reached.nodes[target].status, Status::Removed);
    assert_eq!(reached.waitlist.iter().collect::<Vec<_>>(), [parent]);
    let (index, predicate) = predicate_of(&mut product).unwrap();
    let AnyPrecision::Predicate(precision) = &reached.nodes[parent].precision[index] else {
        panic!("another domain")
    };
    let mut text = String::new();
    for (node, predicates) in precision.iter() {
        let predicates: Vec<String> = predicates.iter().map(|&p| readable(predicate, p)).collect();
        text += &format!("π({}) = {{{}}}\n", example.name(node).unwrap(), predicates.join(", "));
    }
    expect![[r#"
        π(l4) = {(= x y)}
        π(error) = {false}
    "#]]
    .assert_eq(&text);
}

// ---- Section 4 ----

/// Example 6, Fig. 5: BMC with k = 1. The paper's e3, e4, e8 and e9 have unsatisfiable path formulas; here
/// the initial values make them `false` as soon as they are written, and what is false has no state. e10 is
/// cut off by the bound, satisfiable.
#[test]
fn figure_5_bmc() {
    let example = Example::new(FIGURE_2);
    let is_error = |edge| example.is_error(edge);
    let task = Task::new(&example.cfa, &example.facts, Budget::unlimited(), &is_error);
    check_graph(
        &example,
        base_graph(&task, 1).unwrap(),
        FIGURE_5,
        &expect![[r#"
        e0: l2, ψ: true, φ: true
        e1: l3, ψ: true, φ: x' = 0, from e0
        e2: l4, ψ: true, φ: x' = 0 ∧ y' = 0, {l4 ↦ 0}, from e1
        e5: l5, ψ: true, φ: x' = 0 ∧ y' = 0, {l4 ↦ 0}, from e2
        e6: l6, ψ: true, φ: x' = 1 ∧ y' = 0, {l4 ↦ 0}, from e5
        e7: l7, ψ: true, φ: x' = 1 ∧ y' = 1, {l4 ↦ 0}, from e6
        e10: l4, ψ: true, φ: x' = 1 ∧ y' = 1, {l4 ↦ 1}, cut, from e7
    "#]],
    );
}

/// Example 7, Fig. 6: the step of k-induction with k = 1. The error in the first round is feasible. In the
/// second it is not: the paper's e14 and e15 have the contradiction x₁ = y₁ ∧ x₁ + 1 ≠ y₁ + 1 in their path
/// formula, which is seen when it is written, so these states are not there. e16 is cut off by the bound.
#[test]
fn figure_6_k_induction() {
    let example = Example::new(FIGURE_2);
    let is_error = |edge| example.is_error(edge);
    for encoding in [Encoding::Int, Encoding::BitVector] {
        let task =
            Task::new(&example.cfa, &example.facts, Budget::unlimited(), &is_error).in_encoding(encoding);
        let mut graph = step_graph(&task, example.node("l4"), 1).unwrap();
        let (index, predicate) = predicate_of(&mut graph.product).unwrap();
        let feasible = graph.reached.targets().filter(|&id| {
            let AnyState::Predicate(state) = &graph.reached.nodes[id].state[index] else {
                panic!("another domain")
            };
            predicate.abstract_formula(Terms::TRUE, state.path, &[Terms::FALSE]).unwrap().is_some()
        });
        // Whether the solver shows it or the terms: only the first error is left.
        assert_eq!(feasible.collect::<Vec<_>>(), graph.reached.targets().take(1).collect::<Vec<_>>());
    }
    let task = Task::new(&example.cfa, &example.facts, Budget::unlimited(), &is_error);
    check_graph(
        &example,
        step_graph(&task, example.node("l4"), 1).unwrap(),
        FIGURE_6,
        &expect![[r#"
        e0: l4, ψ: true, φ: true, {l4 ↦ 0}
        e1: l11, ψ: true, φ: (bvsle 2 x), from e0
        e2: l12, ψ: true, φ: (bvsle 2 x), from e1
        e3: l5, ψ: true, φ: (bvsle x 1), {l4 ↦ 0}, from e0
        e4: l6, ψ: true, φ: (bvsle x 1) ∧ x' = (bvadd 1 x), {l4 ↦ 0}, from e3
        e5: l7, ψ: true, φ: (bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), {l4 ↦ 0}, from e4
        e6: l8, ψ: true, φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e5
        e7: error, ψ: true, φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e6
        e8: l4, ψ: true, φ: (and (bvsle x 1) (= x y)) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), {l4 ↦ 1}, from e5
        e9: l11, ψ: true, φ: (and (bvsle x 1) (= x y) (bvsle 2 (bvadd 1 x))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e8
        e10: l12, ψ: true, φ: (and (bvsle x 1) (= x y) (bvsle 2 (bvadd 1 x))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e9
        e11: l5, ψ: true, φ: (and (bvsle x 1) (= x y) (bvsle (bvadd 1 x) 1)) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), {l4 ↦ 1}, from e8
        e12: l6, ψ: true, φ: (and (bvsle x 1) (= x y) (bvsle (bvadd 1 x) 1)) ∧ x' = (bvadd 2 x) ∧ y' = (bvadd 1 y), {l4 ↦ 1}, from e11
        e13: l7, ψ: true, φ: (and (bvsle x 1) (= x y) (bvsle (bvadd 1 x) 1)) ∧ x' = (bvadd 2 x) ∧ y' = (bvadd 2 y), {l4 ↦ 1}, from e12
        e16: l4, ψ: true, φ: (and (bvsle x 1) (= x y) (bvsle (bvadd 1 x) 1)) ∧ x' = (bvadd 2 x) ∧ y' = (bvadd 2 y), {l4 ↦ 2}, cut, from e13
    "#]],
    );
}

/// Example 8, Fig. 7: predicate abstraction with π(l4) = {x = y} and π(l8) = {false} finds no error, and the
/// second visit of l4 is covered by the first.
#[test]
fn figure_7_predicate_abstraction() {
    let example = Example::new(FIGURE_2);
    let (mut product, mut reached) = example.analysis(PREDICATE_ABSTRACTION, Encoding::BitVector);
    let (index, predicate) = predicate_of(&mut product).unwrap();
    let equal = equal(predicate);
    let mut precision = PredicatePrecision::default();
    precision.add(example.node("l4"), &[equal]);
    precision.add(example.node("error"), &[Terms::FALSE]);
    let root = reached.roots[0];
    let mut parts = reached.nodes[root].precision.to_vec();
    parts[index] = AnyPrecision::Predicate(precision);
    reached.requeue(root, Rc::from(parts));
    assert_eq!(example.explore(&mut product, &mut reached), CpaPlusPlus::Complete);
    assert_eq!(reached.targets().count(), 0);
    expect![[r#"
        e0: l2, ψ: true, φ: true
        e1: l3, ψ: true, φ: x' = 0, from e0
        e2: l4, ψ: (= x y), φ: true, from e1
        e3: l11, ψ: (= x y), φ: (bvsle 2 x), from e2
        e4: l12, ψ: (= x y), φ: (bvsle 2 x), from e3
        e5: l5, ψ: (= x y), φ: (bvsle x 1), from e2
        e6: l6, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x), from e5
        e7: l7, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e6
        e8: l4, ψ: (= x y), φ: true, from e7, covered by e2
        +: l8, ψ: (= x y), φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e7
    "#]]
    .assert_eq(&example.draw(&mut product, &reached, FIGURE_7));
}

/// Example 9, Fig. 8: IMPACT without forced covering. Two refinements, each removes an error state; then e9
/// is covered by e2. The states with a + are not in the figure: l8 (see above), and below e9 those that the
/// paper had not come to when e9 was covered, because all successors of a state are made at once here.
#[test]
fn figure_8_impact() {
    let example = Example::new(FIGURE_2);
    let (mut product, mut reached) = example.analysis(IMPACT, Encoding::BitVector);
    let mut refiner = PredicateRefiner::default();
    let outcome =
        cegar(&example.cfa, &mut product, &mut reached, &mut refiner, &Budget::unlimited()).unwrap();
    assert!(matches!(outcome, summa_cpa::Outcome::Safe));
    expect![[r#"
        e0: l2, ψ: true, φ: true
        e1: l3, ψ: true, φ: x' = 0, from e0
        e2: l4, ψ: (= x y), φ: true, from e1
        e3: l11, ψ: (= x y), φ: (bvsle 2 x), from e2
        e4: l12, ψ: (= x y), φ: (bvsle 2 x), from e3
        e5: l5, ψ: (= x y), φ: (bvsle x 1), from e2
        e6: l6, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x), from e5
        e7: l7, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e6
        e8: error, removed
        e9: l4, ψ: (= x y), φ: true, from e7, covered by e2
        e10: l5, ψ: (= x y), φ: (bvsle x 1), from e9, below a covered state
        e11: l6, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x), from e10, below a covered state
        e12: l7, ψ: (= x y), φ: (bvsle x 1) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e11, below a covered state
        e13: error, removed
        +: l8, ψ: (= x y), φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e7
        +: l11, ψ: (= x y), φ: (bvsle 2 x), from e9, below a covered state
        +: l8, ψ: (= x y), φ: (and (bvsle x 1) (not (= x y))) ∧ x' = (bvadd 1 x) ∧ y' = (bvadd 1 y), from e12, below a covered state
        +: l4, ψ: true, φ: true, from e12, below a covered state
        +: l12, ψ: (= x y), φ: (bvsle 2 x), from +, below a covered state
    "#]].assert_eq(&example.draw(&mut product, &reached, FIGURE_8));
    assert_eq!(predicate_of(&mut product).unwrap().1.counters.refinements, 2);
}

fn is_proved(preset: &str, program: &str, change: impl Fn(&mut Config)) {
    for encoding in [EncodingChoice::Int, EncodingChoice::Bitvector] {
        let example = Example::new(program);
        let is_error = |edge| example.is_error(edge);
        let task = Task::new(&example.cfa, &example.facts, Budget::unlimited(), &is_error);
        let mut config = Config { encoding, ..Config::preset(preset).unwrap() };
        change(&mut config);
        let report = run(&config, &task, &mut |_| false);
        assert!(
            matches!(report.outcome, Outcome::Claimed(_)),
            "{preset}, {encoding:?}: {:?}",
            report.outcome
        );
    }
}

/// CEGAR from nothing, and induction with k = 1.
#[test]
fn the_program_is_proved() {
    for preset in ["predicate", "impact"] {
        is_proved(preset, FIGURE_2, |_| {});
    }
    is_proved("k-induction", FIGURE_2, |config| config.loop_bound.as_mut().unwrap().max = Some(1));
}

/// The end of Example 7: the loop condition has no part in it.
#[test]
fn the_program_is_proved_with_any_number_of_rounds() {
    let program = FIGURE_2.replace("x < 2", "__VERIFIER_nondet_int()");
    for preset in ["predicate", "impact"] {
        is_proved(preset, &program, |_| {});
    }
    is_proved("k-induction", &program, |config| config.loop_bound.as_mut().unwrap().max = Some(1));
}
