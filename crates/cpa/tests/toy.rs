//! The algorithms with a domain whose answers can be computed on paper: merge, stop, cover, abort, the state
//! after a stop, refinement, products.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use summa_base::{Budget, Exhausted};
use summa_cfa::{Cfa, NodeId};
use summa_cpa::{
    Cpa, CpaPlusPlus, Layer, Outcome, Product, Reached, Reduction, Status, Stop, cegar, cpa_plus_plus,
};
use summa_testkit::automata;
use summa_testkit::toy::{MoreNumbers, Toy, ToyState, can_be_taken, numbers, toy};

const HEAD: &str = "int __VERIFIER_nondet_int(void); void reach_error(void); int x, y;\n";

type Explored<'a> = Reached<Product<Toy<'a>>>;

fn program(body: &str) -> Cfa {
    automata(&format!("{HEAD}{body}"))
}

fn begun<'a>(cfa: &'a Cfa, cpa: &mut Product<Toy<'a>>) -> Explored<'a> {
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = cpa.initial(cfa.entry());
    reached.add_root(cfa, cpa, cfa.entry(), state, precision);
    reached
}

fn explore<'a>(
    cfa: &'a Cfa,
    cpa: &mut Product<Toy<'a>>,
    reached: &mut Explored<'a>,
) -> Result<CpaPlusPlus, Stop> {
    let is_target = |cpa: &Product<Toy<'a>>, state: &_| cpa.is_target(state);
    cpa_plus_plus(cfa, cpa, reached, &is_target, &Budget::unlimited())
}

/// The sets at the end of `main`, sorted.
fn at_exit(cfa: &Cfa, reached: &Explored<'_>) -> Vec<Vec<Option<Vec<i128>>>> {
    let exit = cfa.automaton(cfa.main).unwrap().exit;
    at(reached, exit)
}

fn at(reached: &Explored<'_>, node: NodeId) -> Vec<Vec<Option<Vec<i128>>>> {
    let there = reached.reached().filter(|&id| reached.nodes[id].node == node);
    let mut sets: Vec<_> = there.map(|id| numbers(&reached.nodes[id].state)).collect();
    sets.sort();
    sets
}

fn just(numbers: &[i128]) -> Vec<Option<Vec<i128>>> {
    vec![Some(numbers.to_vec())]
}

const BRANCHES: &str =
    "int main(void) { if (__VERIFIER_nondet_int()) x = 1; else x = 2; x = x + 10; return 0; }";

#[test]
fn states_stay_apart_without_merge() {
    let cfa = program(BRANCHES);
    let mut cpa = toy(&cfa, &["x"], false, 9);
    let mut reached = begun(&cfa, &mut cpa);
    assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    assert_eq!(at_exit(&cfa, &reached), [just(&[11]), just(&[12])]);
}

#[test]
fn merged_states_cover_both() {
    let cfa = program(BRANCHES);
    let mut cpa = toy(&cfa, &["x"], true, 9);
    let mut reached = begun(&cfa, &mut cpa);
    assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    assert_eq!(at_exit(&cfa, &reached), [just(&[11, 12])]);
    let exit = cfa.automaton(cfa.main).unwrap().exit;
    let merged = reached.reached().find(|&id| reached.nodes[id].node == exit).unwrap();
    let (_, path) = reached.path_to(merged);
    assert!(path.windows(2).all(|pair| pair[0].0.to == pair[1].0.from), "the ways of both lead on");
}

/// In depth first order the join is expanded before the second branch gets there.
#[test]
fn a_state_that_grew_by_a_merge_is_expanded_again() {
    let cfa = program(BRANCHES);
    for layer in [Layer::Depth, Layer::Breadth, Layer::Unrolled] {
        let mut cpa = toy(&cfa, &["x"], true, 9);
        let mut reached = Reached::new(vec![layer]);
        let (state, precision) = cpa.initial(cfa.entry());
        reached.add_root(&cfa, &cpa, cfa.entry(), state, precision);
        assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
        let all: BTreeSet<i128> = at_exit(&cfa, &reached).into_iter().flatten().flatten().flatten().collect();
        assert_eq!(all, BTreeSet::from([11, 12]), "{layer:?}");
    }
}

#[test]
fn loops_end_because_states_are_covered() {
    let cfa = program("int main(void) { while (__VERIFIER_nondet_int()) x = 1 - x; return 0; }");
    let mut cpa = toy(&cfa, &["x"], false, 9);
    let mut reached = begun(&cfa, &mut cpa);
    assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    assert_eq!(at_exit(&cfa, &reached), [just(&[0]), just(&[1])]);
    let mut covered = 0;
    for (id, node) in reached.nodes.iter() {
        let Status::Covered(by) = node.status else { continue };
        covered += 1;
        assert!(by < id, "only an older state covers");
        assert_eq!(reached.nodes[by].status, Status::Reached, "who covers is expanded");
        assert!(cpa.stop(&node.state, &reached.nodes[by].state, &node.precision).unwrap());
        assert!(node.children.is_empty(), "who is covered is not");
    }
    assert_eq!(covered, 1, "the loop head with 0 once more");
}

#[test]
fn the_precision_makes_a_loop_end_that_counts() {
    let cfa = program("int main(void) { while (__VERIFIER_nondet_int()) x = x + 1; return 0; }");
    let mut cpa = toy(&cfa, &["x"], true, 3);
    let mut reached = begun(&cfa, &mut cpa);
    assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    assert_eq!(at_exit(&cfa, &reached), [vec![None]]);
}

/// The siblings of a target are processed before the algorithm says so, and nothing waits in vain.
#[test]
fn an_abort_loses_no_sibling() {
    let cfa = program("int main(void) { if (__VERIFIER_nondet_int()) reach_error(); else x = 3; return x; }");
    let mut cpa = toy(&cfa, &["x"], false, 9);
    let mut reached = begun(&cfa, &mut cpa);
    let Ok(CpaPlusPlus::Aborted(target)) = explore(&cfa, &mut cpa, &mut reached) else { panic!("no target") };
    assert!(cpa.is_target(&reached.nodes[target].state) && reached.nodes[target].is_target);
    assert_eq!(reached.targets().collect::<Vec<_>>(), [target]);
    assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    assert_eq!(at_exit(&cfa, &reached), [just(&[3])]);
    assert_eq!(reached.targets().count(), 1);
}

/// Two states at one error are two targets, and each is said.
#[test]
fn every_target_is_said() {
    let cfa = program(
        "int main(void) { if (__VERIFIER_nondet_int()) x = 1; else x = 2; if (__VERIFIER_nondet_int()) \
         reach_error(); return 0; }",
    );
    let mut cpa = toy(&cfa, &["x"], false, 9);
    let mut reached = begun(&cfa, &mut cpa);
    let mut said = Vec::new();
    while let Ok(CpaPlusPlus::Aborted(target)) = explore(&cfa, &mut cpa, &mut reached) {
        said.extend(numbers(&reached.nodes[target].state));
    }
    said.sort();
    assert_eq!(said, [Some(vec![1]), Some(vec![2])]);
    assert_eq!(reached.targets().count(), 2, "none is covered");
}

/// A budget looks at its flag in every 256th check: here at the one before the n-th state is expanded.
#[test]
fn an_interrupt_puts_the_state_back() {
    let cfa = program(BRANCHES);
    let mut stops = 0;
    for n in 1..256 {
        let mut cpa = toy(&cfa, &["x"], false, 9);
        let mut reached = begun(&cfa, &mut cpa);
        let budget = Budget::unlimited();
        (n..256).for_each(|_| budget.check().unwrap());
        budget.interrupt().store(true, Ordering::Relaxed);
        match cpa_plus_plus(&cfa, &mut cpa, &mut reached, &|_, _| false, &budget) {
            Err(stop) => assert_eq!(stop, Stop::Exhausted(Exhausted::Interrupted)),
            Ok(_) => break,
        }
        stops += 1;
        assert!(!reached.waitlist.is_empty(), "an empty waitlist would be a proof");
        assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
        assert_eq!(at_exit(&cfa, &reached), [just(&[11]), just(&[12])], "stop at state {n}");
    }
    assert!(stops > 5, "{stops}");
}

/// Wherever a component gives up, the state waits again, and continuing finds the same as a run without a
/// stop.
#[test]
fn a_stop_puts_the_state_back() {
    let cfa = program(BRANCHES);
    let mut stops = 0;
    for patience in 0.. {
        let mut cpa = toy(&cfa, &["x"], false, 9);
        let mut reached = begun(&cfa, &mut cpa);
        let Toy::Place(place) = &mut cpa.components[0] else { unreachable!() };
        place.patience = Some(patience);
        match explore(&cfa, &mut cpa, &mut reached) {
            Err(stop) => assert_eq!(stop, Stop::GaveUp("no patience".to_owned())),
            Ok(_) => break,
        }
        stops += 1;
        assert!(!reached.waitlist.is_empty(), "an empty waitlist would be a proof");
        let Toy::Place(place) = &mut cpa.components[0] else { unreachable!() };
        place.patience = None;
        assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
        assert_eq!(at_exit(&cfa, &reached), [just(&[11]), just(&[12])], "stop after {patience} moves");
    }
    assert!(stops > 5, "the program has more moves than {stops}");
}

/// One number is not enough for the way through both branches to be excluded; the refiner finds two.
#[test]
fn refinement_allows_as_many_numbers_as_a_proof_needs() {
    let cfa = program(
        "int main(void) { if (__VERIFIER_nondet_int()) x = 1; else x = 2;
           if (x == 3) reach_error(); return 0; }",
    );
    for (joins, refinements) in [(false, 1), (true, 2)] {
        let mut cpa = toy(&cfa, &["x"], joins, 0);
        let mut reached = begun(&cfa, &mut cpa);
        let mut refiner = MoreNumbers::default();
        let outcome = cegar(&cfa, &mut cpa, &mut reached, &mut refiner, &Budget::unlimited()).unwrap();
        assert_eq!((outcome, refiner.refinements), (Outcome::Safe, refinements), "joins: {joins}");
        assert!(reached.waitlist.is_empty() && reached.targets().next().is_none());
    }
}

#[test]
fn refinement_finds_the_way_to_an_error() {
    let cfa = program(
        "int main(void) { if (__VERIFIER_nondet_int()) x = 1; if (x == 2) reach_error(); x = x + 1; \
         if (x == 2) reach_error(); return 0; }",
    );
    let mut cpa = toy(&cfa, &["x"], false, 0);
    let mut reached = begun(&cfa, &mut cpa);
    let mut refiner = MoreNumbers::default();
    let outcome = cegar(&cfa, &mut cpa, &mut reached, &mut refiner, &Budget::unlimited()).unwrap();
    let Outcome::Unsafe(moves) = outcome else { panic!("the second error is reachable") };
    assert_eq!(refiner.refinements, 1);
    let (start, _) = cpa.initial(cfa.entry());
    assert!(can_be_taken(&mut cpa, &start, &moves).unwrap());
    assert!(matches!(cfa.edges[moves.last().unwrap().step.edge()].op, summa_cfa::Op::Error { .. }));
}

const TWO: &str = "int main(void) { x = 1; y = 1; if (__VERIFIER_nondet_int()) y = 2; x = x + 1; return 0; }";

#[test]
fn a_product_is_covered_only_if_every_component_is() {
    let cfa = program(TWO);
    let mut cpa = toy(&cfa, &["x", "y"], false, 9);
    let mut reached = begun(&cfa, &mut cpa);
    assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    let both = |y: i128| vec![Some(vec![2]), Some(vec![y])];
    assert_eq!(at_exit(&cfa, &reached), [both(1), both(2)]);
}

/// One component never merges: then the product merges only states that are equal there.
#[test]
fn a_product_merges_only_what_all_components_merge() {
    let cfa = program(TWO);
    for (y_joins, expected) in [(true, 1), (false, 2)] {
        let mut cpa = toy(&cfa, &["x", "y"], true, 9);
        let Toy::Numbers(y) = &mut cpa.components[2] else { unreachable!() };
        y.joins = y_joins;
        let mut reached = begun(&cfa, &mut cpa);
        assert_eq!(explore(&cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
        assert_eq!(at_exit(&cfa, &reached).len(), expected, "y joins: {y_joins}");
    }
}

/// A reduction for two equal variables: both sets shrink to their intersection, and an empty one means that
/// there is no state.
fn equal(from: usize, to: usize) -> Reduction<Toy<'static>> {
    let apply = |_: &mut Toy<'static>, from: &ToyState, to: &ToyState, _: &usize, _| match (from, to) {
        (ToyState::Numbers(Some(from)), ToyState::Numbers(Some(to))) => {
            let shared: BTreeSet<i128> = from & to;
            (!shared.is_empty()).then_some(ToyState::Numbers(Some(shared)))
        }
        (ToyState::Numbers(from), ToyState::Numbers(None)) => Some(ToyState::Numbers(from.clone())),
        _ => Some(to.clone()),
    };
    Reduction { name: "equal", from, to, apply: Box::new(apply) }
}

#[test]
fn a_reduction_tells_one_component_what_another_knows() {
    let cfa: &'static Cfa = Box::leak(Box::new(program(
        "int main(void) { if (__VERIFIER_nondet_int()) x = 5; else x = 6; return 0; }",
    )));
    let mut cpa = toy(cfa, &["x", "y"], false, 9);
    // `y` is 0 all the time: when `x` is not, the two are not equal, and no state is left.
    cpa.reductions.push(equal(1, 2));
    let mut reached = begun(cfa, &mut cpa);
    assert_eq!(explore(cfa, &mut cpa, &mut reached), Ok(CpaPlusPlus::Complete));
    assert!(at_exit(cfa, &reached).is_empty());
    assert!(
        reached.reached().all(|id| numbers(&reached.nodes[id].state)[0].as_ref().is_none_or(|x| x[0] == 0))
    );
}
