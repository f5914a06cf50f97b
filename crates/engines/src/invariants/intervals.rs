//! Invariants of loop heads for the engines that use formulas, from interval analyses of the whole program.
//!
//! What an analysis knows about a scalar that is one cell of the encoding becomes a formula over that cell.
//! The rest is left out, which only makes the invariant weaker. An analysis needs no solver.
//! [`super::beside`] runs several, each more precise than the one before.

use crate::proof::place;
use crate::task::{Reason, Task};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::{Budget, IdSet};
use summa_cfa::{Cfa, NodeId};
use summa_cpa::{ArgId, Cpa, CpaPlusPlus, Layer, Product, Reached, Stop, cpa_plus_plus};
use summa_domains::callstack::Callstack;
use summa_domains::interval::{Bound, IntervalState, Intervals, narrow, states_at};
use summa_domains::location::Location;
use summa_domains::reductions::{REDUCTIONS, reduction};
use summa_domains::says::{Fact, Says, ScalarFact};
use summa_domains::scalars::Options;
use summa_domains::{Domain, value};
use summa_encode::Range;
use summa_facts::Analyses;
use summa_logic::{Invariants, Workbench};
use summa_proof::Place;
use summa_term::{Term, Terms};

/// The analysis takes at most this part of the time that is left.
pub(super) const SHARE: f64 = 0.2;
pub(super) const DEFAULT_TIME: Duration = Duration::from_secs(20);

/// How precise an analysis is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// Merges at a loop head before widening, and then with thresholds.
    pub(crate) joins: u32,
    pub(crate) threshold_rounds: u32,
    pub(crate) narrowing_rounds: u32,
    /// Values in addition to intervals keep states apart, and both exchange facts.
    pub(crate) values: Option<value::Options>,
    /// An analysis that reaches more states says nothing.
    pub(crate) max_states: u32,
}

impl Round {
    /// Intervals that are widened early.
    pub(crate) const FIRST: Self =
        Self { joins: 2, threshold_rounds: 12, narrowing_rounds: 2, values: None, max_states: u32::MAX };
}

/// The result of an analysis.
#[derive(Clone, Debug, Default)]
pub(crate) struct Analysed {
    pub(crate) heads: HeadBounds,
    /// The states at loop heads one by one, which are inductive: for proofs.
    pub(crate) states: Vec<HeadState>,
}

/// A state at a loop head, with the calls that wait.
#[derive(Clone, Debug)]
pub(crate) struct HeadState {
    pub(crate) place: Place,
    pub(crate) facts: Vec<ScalarFact>,
}

/// What an analysis says about each loop head.
pub(crate) type HeadBounds = BTreeMap<NodeId, Bounds>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Bounds that hold in all states. None: there is no state, so control never gets there.
    always: Option<Vec<Bound>>,
    /// In addition, all bounds of one of these cases hold. Empty: nothing more is known.
    cases: Vec<Vec<Bound>>,
}

/// If there are more cases, or more bounds in all cases together, they are joined, because formulas must stay
/// small.
const MAX_CASES: usize = 8;
const MAX_CASE_BOUNDS: usize = 32;

/// What always holds at the loop heads of the program, over the cells of the predicate domain in version 0.
/// Empty if the analysis does not end in time: an unfinished one says nothing.
///
/// # Errors
/// The time of the whole task is up.
pub fn of_loop_heads(task: &Task<'_>, logic: &mut Workbench<'_>) -> Result<Invariants, Reason> {
    let time = task.budget.remaining().map_or(DEFAULT_TIME, |left| left.mul_f64(SHARE));
    let budget = task.budget.at_most(time);
    match task.shared.analysed(0, || analyse(task.cfa, task.facts, Round::FIRST, &budget)) {
        Ok(bounds) => {
            let invariants = formulas(logic, &bounds.unwrap_or_default().heads);
            task.board.set_invariants(invariants.len());
            Ok(invariants)
        }
        Err(Stop::Exhausted(_)) => {
            task.budget.check_now()?;
            Ok(Invariants::default())
        }
        Err(_) => Ok(Invariants::default()),
    }
}

/// One analysis; None if it has become too large.
pub(crate) fn analyse(
    cfa: &Cfa,
    facts: &Analyses,
    round: Round,
    budget: &Budget,
) -> Result<Option<Analysed>, Stop> {
    let options =
        Options { joins: round.joins, threshold_rounds: round.threshold_rounds, ..Options::default() };
    let mut components = vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Interval(Intervals::new(cfa, facts, options)),
    ];
    components.extend(round.values.map(|options| Domain::Value(value::Value::new(cfa, facts, options))));
    let mut product = Product::new(components);
    // The reductions whose domains are both present.
    let reductions = REDUCTIONS.iter().filter_map(|named| reduction(named, &product.components));
    product.reductions = reductions.collect();
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(cfa, &product, cfa.entry(), state, precision);
    let states = Cell::new(0u32);
    let is_too_large = |_: &Product<Domain<'_>>, _: &_| {
        states.set(states.get().saturating_add(1));
        states.get() > round.max_states
    };
    match cpa_plus_plus(cfa, &mut product, &mut reached, &is_too_large, budget)? {
        CpaPlusPlus::Complete => {}
        CpaPlusPlus::Aborted(_) => return Ok(None),
    }
    let unreachable = narrow(&mut product, &mut reached, round.narrowing_rounds, budget)?;
    let mut found = HeadBounds::new();
    let intervals = product.components.iter().find_map(|component| match component {
        Domain::Interval(intervals) => Some(intervals),
        _ => None,
    });
    let Some(intervals) = intervals else { return Ok(None) };
    for node in cfa.nodes.ids().filter(|&node| facts.loops.is_head(node)) {
        let states = || states_at(&reached, &unreachable, node);
        let always = intervals.invariant(states());
        let cases = match &always {
            Some(always) if round.values.is_some() => cases(intervals, states(), always),
            _ => Vec::new(),
        };
        found.insert(node, Bounds { always, cases });
    }
    Ok(Some(Analysed { heads: found, states: head_states(&product, &reached, facts, &unreachable) }))
}

/// The states at loop heads with the facts of all components.
fn head_states(
    product: &Product<Domain<'_>>,
    reached: &Reached<Product<Domain<'_>>>,
    facts: &Analyses,
    unreachable: &IdSet<ArgId>,
) -> Vec<HeadState> {
    let mut states = Vec::new();
    // States that follow from unreachable states are missing from the others, so together they would not be
    // inductive.
    let is_head = |id: &ArgId| facts.loops.is_head(reached.nodes[*id].node) && !unreachable.contains(*id);
    for id in reached.reached().filter(is_head) {
        let node = &reached.nodes[id];
        let Some(place) = place(product, node.node, &node.state) else { continue };
        let components = product.components.iter().zip(node.state.iter());
        let said = components.flat_map(|(domain, state)| domain.facts(state).unwrap_or_default());
        let scalar = |fact| match fact {
            Fact::Scalar(fact) => Some(fact),
            Fact::Zero(_) | Fact::AtMost(_) | Fact::Formula(_) => None,
        };
        let facts = said.filter_map(scalar).collect();
        states.push(HeadState { place, facts });
    }
    states
}

/// The facts that do not hold in all states, if there are few and every state has one.
fn cases<'s>(
    intervals: &Intervals<'_>,
    states: impl Iterator<Item = &'s IntervalState>,
    always: &[Bound],
) -> Vec<Vec<Bound>> {
    let mut cases: Vec<Vec<Bound>> = Vec::new();
    for state in states {
        let case: Vec<Bound> = intervals.bounds(state).filter(|bound| !always.contains(bound)).collect();
        if cases.contains(&case) {
            continue;
        }
        cases.push(case);
        let is_much = cases.len() > MAX_CASES || cases.iter().map(Vec::len).sum::<usize>() > MAX_CASE_BOUNDS;
        if is_much || cases.last().is_some_and(Vec::is_empty) {
            return Vec::new();
        }
    }
    cases
}

/// The result of an analysis as formulas.
pub(crate) fn formulas(logic: &mut Workbench<'_>, bounds: &HeadBounds) -> Invariants {
    let mut invariants = Invariants::default();
    for (&node, bounds) in bounds {
        let formula = match &bounds.always {
            None => Terms::FALSE,
            Some(always) => {
                let always = all_hold(logic, always);
                let cases: Vec<Term> = bounds.cases.iter().map(|case| all_hold(logic, case)).collect();
                let terms = &mut logic.paths.encoder.terms;
                let either = if cases.is_empty() { Terms::TRUE } else { terms.or(&cases) };
                terms.and2(always, either)
            }
        };
        if formula != Terms::TRUE {
            invariants.insert(node, formula);
        }
    }
    invariants
}

fn all_hold(logic: &mut Workbench<'_>, bounds: &[Bound]) -> Term {
    let parts: Vec<Term> = bounds.iter().filter_map(|bound| formula(logic, bound)).collect();
    logic.paths.encoder.terms.and(&parts)
}

/// A bound as a formula.
fn formula(logic: &mut Workbench<'_>, bound: &Bound) -> Option<Term> {
    let encoder = &mut logic.paths.encoder;
    let cell = encoder.cell_of(bound.location.var, bound.location.offset)?;
    let Bound { lower, upper, modulus, residue, .. } = *bound;
    encoder.in_range(cell, bound.ty, Range { lower, upper, modulus, residue })
}
