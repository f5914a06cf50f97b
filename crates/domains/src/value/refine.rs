//! Value refinement: which cells must be followed so that an infeasible error path disappears.
//!
//! Papers: Beyer, Löwe, *Explicit-state software model checking based on CEGAR and interpolation*, FASE 2013;
//! Beyer, Löwe, Wendler, *Sliced path prefixes: an effective method to enable refinement selection*, FORTE
//! 2015.
//!
//! The path is executed with all cells followed. Where an assumption fails, the prefix up to it is one
//! *reason* why the path is infeasible. Execution then continues as if the assumption were not there, which
//! gives more reasons. The best reason is the one with the simplest variables; loop counters are used only if
//! nothing else helps.
//!
//! An interpolant is a set of cells whose values before a position suffice to fail after it. Interpolants are
//! found from the end of the path to its beginning, one step at a time. A set is good enough before a step if
//! the step alone, with the values of the set, gives what is needed after it. So interpolants are inductive,
//! and cost time linear in the length of the path. Forgetting one variable and executing the whole suffix
//! again would make it quadratic.

use super::cells::CellId;
use super::eval::Semantics;
use super::post::Limits;
use super::precision::{Precision, Scope};
use super::state::Values;
use crate::path::AbstractPath;
use crate::registry::{AnyPrecision, AnyState, Domain};
use summa_base::IdSet;
use summa_c::tree::VarId;
use summa_cpa::{ArgId, Move, Product, Reached, Refinement, Refiner, Status, Stop};

/// The most reasons that are compared.
const MAX_REASONS: usize = 16;

/// Why a path is infeasible: an interpolant for each position before a step of the prefix.
#[derive(Clone, Debug, PartialEq)]
pub struct Refutation {
    pub interpolants: Vec<Values>,
    /// The step that fails.
    pub end: usize,
}

impl Refutation {
    /// All cells that matter somewhere.
    pub fn cells(&self) -> IdSet<CellId> {
        self.interpolants.iter().flat_map(Values::cells).collect()
    }
}

/// The order of reasons: smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    pub uses_loop_counter: bool,
    /// The reason needs the fact that something is not zero, which is more than values.
    pub uses_non_zero: bool,
    /// 1 for a boolean, 2 for a variable that is only compared for equality, 4 for others.
    pub variables: usize,
    /// Positions at which something must be known.
    pub width: usize,
    pub length: usize,
}

/// How hard it is to follow a variable.
fn weight(semantics: &Semantics<'_>, var: VarId) -> usize {
    let variables = &semantics.facts.variables;
    match () {
        () if variables.boolean_only.contains(var) => 1,
        () if variables.equality_only.contains(var) => 2,
        () => 4,
    }
}

impl Semantics<'_> {
    /// Why no execution follows the path from a state with the values `initial`, best reasons first. Empty if
    /// this domain has no reason.
    pub fn refute(&mut self, initial: &Values, moves: &[Move]) -> Vec<(Score, Refutation)> {
        let everything = Precision::everything();
        let limits = Limits { precision: &everything, distinct_values: None };
        let mut states = Vec::with_capacity(moves.len() + 1);
        states.push(initial.clone());
        let mut failing = Vec::new();
        for (position, &by) in moves.iter().enumerate() {
            let next = self.post(&states[position], by, limits);
            if next.is_none() {
                failing.push(position);
            }
            states.push(next.unwrap_or_else(|| states[position].clone()));
        }
        let path = Path { moves, states: &states, failing: &failing, limits };
        let mut reasons = Vec::new();
        for &end in failing.iter().take(MAX_REASONS) {
            let reason = path.interpolate(self, end);
            reasons.push((self.score(&reason), reason));
        }
        reasons.sort_by_key(|(score, _)| *score);
        reasons
    }

    fn score(&self, reason: &Refutation) -> Score {
        let vars: IdSet<VarId> = reason.cells().iter().map(|cell| self.cells.get(cell).var).collect();
        let counters = &self.facts.variables.loop_counters;
        Score {
            uses_loop_counter: vars.iter().any(|var| counters.contains(var)),
            uses_non_zero: reason.interpolants.iter().any(|known| !known.non_zero().is_empty()),
            variables: vars.iter().map(|var| weight(self, var)).sum(),
            width: reason.interpolants.iter().filter(|known| !known.is_empty()).count(),
            length: reason.end,
        }
    }
}

/// A path with the known values at every position.
struct Path<'p> {
    moves: &'p [Move],
    states: &'p [Values],
    /// Steps that fail, ascending: they are skipped.
    failing: &'p [usize],
    limits: Limits<'p>,
}

impl Path<'_> {
    fn interpolate(&self, semantics: &mut Semantics<'_>, end: usize) -> Refutation {
        let mut cells = self.before(semantics, end, None);
        let mut interpolants = vec![self.states[end].restricted(&cells)];
        for position in (0..end).rev() {
            if self.failing.binary_search(&position).is_err() {
                cells = self.before(semantics, position, Some(&cells));
            }
            interpolants.push(self.states[position].restricted(&cells));
        }
        interpolants.reverse();
        Refutation { interpolants, end }
    }

    /// A small set of cells that suffices before the step at this position: for the cells needed after it, or
    /// to fail if that is None.
    fn before(
        &self,
        semantics: &mut Semantics<'_>,
        position: usize,
        behind: Option<&[CellId]>,
    ) -> Vec<CellId> {
        let (state, by) = (&self.states[position], self.moves[position]);
        let needed = behind.map(|cells| self.states[position + 1].restricted(cells));
        let suffices = |semantics: &mut Semantics<'_>, cells: &[CellId]| match (
            semantics.post(&state.restricted(cells), by, self.limits),
            &needed,
        ) {
            (None, _) => true,
            (Some(reached), Some(needed)) => reached.is_below(needed),
            (Some(_), None) => false,
        };
        let mut cells: Vec<CellId> = behind.unwrap_or_default().to_vec();
        if !suffices(semantics, &cells) {
            // With all that the step looks at.
            semantics.post(state, by, self.limits);
            cells.extend(&semantics.reads);
            cells.sort_unstable();
            cells.dedup();
            if !suffices(semantics, &cells) {
                cells = state.cells();
            }
        }
        cells.retain(|&cell| state.mentions(cell));
        // Cells that the step itself sets, or does not need, are removed. The cells that are hardest to
        // follow go first.
        suffices(semantics, &cells);
        let mut touched: Vec<CellId> = semantics.reads.iter().chain(&semantics.writes).copied().collect();
        touched.sort_unstable();
        touched.dedup();
        touched.retain(|cell| cells.binary_search(cell).is_ok());
        let counters = &semantics.facts.variables.loop_counters;
        touched.sort_by_key(|&cell| {
            let var = semantics.cells.get(cell).var;
            (!counters.contains(var), std::cmp::Reverse(weight(semantics, var)))
        });
        for cell in touched {
            let fewer: Vec<CellId> = cells.iter().copied().filter(|&other| other != cell).collect();
            if suffices(semantics, &fewer) {
                cells = fewer;
            }
        }
        cells
    }
}

/// Where exploration continues after a refinement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// At the first state of the path that lacks something.
    Pivot,
    /// At the beginning.
    #[default]
    Root,
}

/// The operator `refine` for products with a value component.
#[derive(Clone, Debug)]
pub struct ValueRefiner {
    /// Which component of the product it is.
    pub component: usize,
    pub scope: Scope,
    pub restart: Restart,
    /// The number of reasons that are taken from one path, as long as they have no loop counters.
    pub reasons: usize,
    /// How many paths were refuted.
    pub refinements: usize,
    /// The last path, and what was followed after it.
    last: Option<(AbstractPath, Precision)>,
}

impl ValueRefiner {
    pub fn new(component: usize) -> Self {
        Self {
            component,
            scope: Scope::Program,
            restart: Restart::Root,
            reasons: 1,
            refinements: 0,
            last: None,
        }
    }

    fn precision<'r>(
        &self,
        reached: &'r Reached<Product<Domain<'_>>>,
        state: ArgId,
    ) -> Option<&'r Precision> {
        match reached.nodes[state].precision.get(self.component) {
            Some(AnyPrecision::Value(precision)) => Some(precision),
            _ => None,
        }
    }

    fn values<'r>(&self, reached: &'r Reached<Product<Domain<'_>>>, state: ArgId) -> Option<&'r Values> {
        match reached.nodes[state].state.get(self.component) {
            Some(AnyState::Value(values)) => Some(values),
            _ => None,
        }
    }

    /// The first position at which the path lacks a value that the refutation needs.
    fn pivot(
        &self,
        reached: &Reached<Product<Domain<'_>>>,
        states: &[ArgId],
        refutation: &Refutation,
    ) -> Option<usize> {
        let needed = states.iter().zip(&refutation.interpolants);
        let mut lacks = needed
            .map(|(&state, needed)| self.values(reached, state).is_some_and(|known| !known.is_below(needed)));
        lacks.position(|lacks| lacks)
    }

    /// Removes everything from this position of the path on from the reached set. It is explored again, with
    /// the cells that were followed there before and the new ones. Returns the new precision.
    fn cut(
        &self,
        reached: &mut Reached<Product<Domain<'_>>>,
        states: &[ArgId],
        pivot: usize,
        mut followed: Precision,
    ) -> Precision {
        let first = if self.restart == Restart::Root { 1 } else { pivot.max(1) };
        let before = states[first - 1];
        let tops = match self.restart {
            Restart::Pivot => vec![states[first]],
            Restart::Root => reached.nodes[before].children.clone(),
        };
        for state in tops.iter().flat_map(|&top| reached.subtree(top)).chain([before]) {
            if let Some(precision) = self.precision(reached, state) {
                followed.union_with(precision);
            }
        }
        let mut frontier = vec![before];
        for top in tops {
            frontier.extend(reached.remove_subtree(top));
        }
        frontier.sort_unstable();
        frontier.dedup();
        frontier.retain(|&state| reached.nodes[state].status == Status::Reached);
        for state in frontier {
            let mut precisions = reached.nodes[state].precision.to_vec();
            if let Some(AnyPrecision::Value(precision)) = precisions.get_mut(self.component) {
                precision.union_with(&followed);
            }
            reached.requeue(state, precisions.into());
        }
        followed
    }
}

impl<'a> Refiner<Product<Domain<'a>>> for ValueRefiner {
    type Evidence = AbstractPath;

    fn refine(
        &mut self,
        product: &mut Product<Domain<'a>>,
        reached: &mut Reached<Product<Domain<'a>>>,
        target: ArgId,
    ) -> Result<Refinement<AbstractPath>, Stop> {
        let path = AbstractPath::to(reached, target);
        let (root, steps) = reached.path_to(target);
        let states: Vec<ArgId> =
            std::iter::once(root).chain(steps.into_iter().map(|(_, state)| state)).collect();
        let (Some(initial), Some(Domain::Value(domain))) =
            (self.values(reached, root), product.components.get_mut(self.component))
        else {
            return Err(Stop::GaveUp("there is no value analysis to refine".to_owned()));
        };
        let reasons = domain.semantics.refute(initial, &path.moves);
        if reasons.is_empty() {
            return Ok(Refinement::Feasible(path));
        }
        let (mut followed, mut pivot) = (Precision::nothing(), None);
        for (i, (score, refutation)) in reasons.iter().enumerate().take(self.reasons.max(1)) {
            if i > 0 && score.uses_loop_counter {
                break;
            }
            let found = self.pivot(reached, &states, refutation);
            pivot = found.into_iter().chain(pivot).min();
            for (&state, needed) in states.iter().zip(&refutation.interpolants) {
                followed.add(self.scope, reached.nodes[state].node, &needed.cells());
                followed.add_non_zero(needed.non_zero());
            }
        }
        // With nothing new to know, the next exploration could find the same path.
        let Some(pivot) = pivot else { return Err(repeated()) };
        let followed = self.cut(reached, &states, pivot, followed);
        if self.last.as_ref().is_some_and(|(last, before)| *last == path && *before == followed) {
            return Err(repeated());
        }
        self.last = Some((path, followed));
        self.refinements += 1;
        Ok(Refinement::Refined)
    }
}

fn repeated() -> Stop {
    Stop::GaveUp("value analysis found a path again that it had refuted".to_owned())
}
