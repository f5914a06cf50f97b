//! Non-relational domains: for every scalar in memory, the set of its possible values. A type that implements
//! [`NumberSet`] defines the sets. Everything else is here, once: which memory an access means, expressions,
//! conditions, calls.
//!
//! A state maps locations (scalars in variables) to sets. A location without an entry can have any value of
//! its type. Nothing is known about memory on the heap. Pointers are numbers, of which only null and not null
//! are distinguished. A write through a pointer changes what points-to analysis allows, weakly unless that is
//! one scalar variable. In recursive functions, the variables of waiting activations are set aside, because
//! the names mean those of the running activation.
//!
//! merge is join, with widening at loop heads after some rounds: first up to the next constant that the
//! program compares with, then to the limits of the type. So every chain of merges ends.
//!
//! Undefined behaviour: division by zero and bad shifts have any result, signed arithmetic wraps around, and
//! an index out of range can mean every part of its variable.

mod arguments;
mod cases;
mod evaluate;
mod layout;
mod portable;
mod reduce;
mod refine;
mod say;
mod set;
mod settings;
mod store;
mod transfer;

pub use arguments::{is_argument, kept_parameters};
pub use layout::{Layout, Location, Scalar};
pub use refine::{negated, swapped};
pub use set::{NumberSet, Shape};
pub use settings::ScalarSettings;
pub use store::Store;

use crate::block_vars::AllBlockVars;
use std::rc::Rc;
use summa_base::{Id, IdSet};
use summa_c::tree::{ExprKind, VarId};
use summa_cfa::{Cfa, NodeId, Op};
use summa_cpa::{Answer, Arrival, Cpa, Move, Nobody, Oracle, Query, Signature, Step, Stop};
use summa_facts::Analyses;

/// How states meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// States are kept apart; loops are then unrolled, perhaps without end.
    Sep,
    Join,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub merge: Merge,
    /// The number of merges at a loop head that are joins, before widening begins.
    pub joins: u32,
    /// The number of further merges that use thresholds, before widening goes to the limits of types.
    pub threshold_rounds: u32,
    /// If a function is called with variables of few values, each combination is a call of its own, up to
    /// this number.
    pub split_calls: usize,
    /// The number of sets of values of a variable with which a recursive function is entered, all else being
    /// equal. After that there is one entry with a range around all of them. 0: any number.
    pub entry_cases: usize,
    /// Ranges of entries grow step by step before they are widened to the limits of types: slower, and needed
    /// where there is a largest entry that only an equation knows.
    pub entry_steps: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            merge: Merge::Join,
            joins: 2,
            threshold_rounds: 12,
            split_calls: 0,
            entry_cases: 0,
            entry_steps: false,
        }
    }
}

type Frame<V> = Rc<[(Location, V)]>;

#[derive(Clone, Debug, PartialEq)]
pub struct State<V: NumberSet> {
    pub store: Store<V>,
    /// The knowledge of waiting activations of recursive functions about their variables, innermost last.
    frames: Rc<Vec<Frame<V>>>,
    /// How often it was the result of a merge.
    merges: u32,
}

impl<V: NumberSet> Default for State<V> {
    fn default() -> Self {
        Self { store: Store::default(), frames: Rc::default(), merges: 0 }
    }
}

pub struct Scalars<'a, V> {
    pub(crate) cfa: &'a Cfa,
    facts: &'a Analyses,
    layout: Layout,
    /// Constants of comparisons and their neighbours, ascending.
    thresholds: Vec<i128>,
    /// The same and powers of four.
    steps: Vec<i128>,
    pub options: Options,
    block_vars: AllBlockVars<'a>,
    /// Parameters that keep their passed values.
    kept: IdSet<VarId>,
    cases: cases::Cases<V>,
}

impl<'a, V: NumberSet> Scalars<'a, V> {
    pub fn new(cfa: &'a Cfa, facts: &'a Analyses, options: Options) -> Self {
        let (layout, thresholds) = (Layout::new(cfa, facts), thresholds(cfa));
        let steps = with_powers(&thresholds);
        let block_vars = AllBlockVars::new(cfa, facts);
        let kept = kept_parameters(cfa, facts);
        Self {
            cfa,
            facts,
            layout,
            thresholds,
            steps,
            options,
            block_vars,
            kept,
            cases: cases::Cases::default(),
        }
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Does every run that `state` allows also belong to `wider`?
    pub fn is_within(state: &State<V>, wider: &State<V>) -> bool {
        let frames = || {
            state.frames.iter().zip(wider.frames.iter()).all(|(ours, theirs)| {
                Rc::ptr_eq(ours, theirs)
                    || theirs
                        .iter()
                        .all(|&(at, wide)| find(ours, at).is_some_and(|value| value.is_subset(wide)))
            })
        };
        state.frames.len() == wider.frames.len()
            && state.store.is_within(&wider.store, &|value, wide| value.is_subset(wide))
            && frames()
    }

    /// The least state around both; None if they have different activations.
    pub fn join(&self, a: &State<V>, b: &State<V>) -> Option<State<V>> {
        self.combine(a, b, &mut |_, _, x, y| Some(x.join(y)))
    }

    fn combine(
        &self,
        a: &State<V>,
        b: &State<V>,
        both: &mut dyn FnMut(Location, Shape, V, V) -> Option<V>,
    ) -> Option<State<V>> {
        if a.frames.len() != b.frames.len() {
            return None;
        }
        let mut both = |at: Location, x: V, y: V| {
            let shape = self.layout.at(at)?.shape;
            both(at, shape, x, y).filter(|&set| set != V::all(shape))
        };
        let frames = if Rc::ptr_eq(&a.frames, &b.frames) {
            a.frames.clone()
        } else {
            let pairs = a.frames.iter().zip(b.frames.iter());
            Rc::new(pairs.map(|(x, y)| combine_frames(x, y, &mut both)).collect())
        };
        Some(State { store: a.store.combine(&b.store, &mut both), frames, merges: 0 })
    }

    /// The state that replaces `reached` when it meets `state` at a loop head for the n-th time.
    fn widen(&self, reached: &State<V>, state: &State<V>) -> Option<State<V>> {
        let rounds = reached.merges.saturating_sub(self.options.joins);
        let thresholds = if rounds < self.options.threshold_rounds { &self.thresholds[..] } else { &[] };
        self.combine(reached, state, &mut |_, shape, old, new| {
            Some(if new.is_subset(old) { old } else { old.widen(old.join(new), shape, thresholds) })
        })
    }
}

fn find<V: NumberSet>(frame: &Frame<V>, at: Location) -> Option<V> {
    frame.binary_search_by_key(&at, |entry| entry.0).ok().map(|i| frame[i].1)
}

fn combine_frames<V: NumberSet>(
    a: &Frame<V>,
    b: &Frame<V>,
    both: &mut dyn FnMut(Location, V, V) -> Option<V>,
) -> Frame<V> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    a.iter().filter_map(|&(at, x)| Some((at, both(at, x, find(b, at)?)?))).collect()
}

/// The thresholds, and powers of four.
fn with_powers(thresholds: &[i128]) -> Vec<i128> {
    let powers = (4..64).step_by(2).flat_map(|exponent| [1i128 << exponent, -(1i128 << exponent)]);
    let mut all: Vec<i128> = thresholds.iter().copied().chain(powers).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The constants that the program compares with, one less and one more.
fn thresholds(cfa: &Cfa) -> Vec<i128> {
    let exprs = &cfa.program.exprs;
    let mut found = vec![-1, 0, 1];
    for id in exprs.expr_ids() {
        let ExprKind::Binary(op, a, b) = exprs.expr(id).kind else { continue };
        if op.is_comparison() {
            let constants = [a, b].into_iter().filter_map(|side| exprs.as_int(side));
            found.extend(constants.flat_map(|c| [c.saturating_sub(1), c, c.saturating_add(1)]));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl<V: NumberSet> Cpa for Scalars<'_, V> {
    type State = State<V>;
    type Precision = ();

    fn initial(&mut self, _: NodeId) -> (State<V>, ()) {
        (State::default(), ())
    }

    fn transfer(&mut self, state: &State<V>, (): &(), by: Move) -> Result<Vec<State<V>>, Stop> {
        self.transfer_asking(state, &(), by, &Nobody)
    }

    /// Others are asked for the values that are assigned, passed and returned.
    fn transfer_asking(
        &mut self,
        state: &State<V>,
        (): &(),
        by: Move,
        others: &dyn Oracle,
    ) -> Result<Vec<State<V>>, Stop> {
        let mut next: Vec<State<V>> = match (by.step, &self.cfa.edges[by.step.edge()].op) {
            (Step::Enter(_), Op::Call { callee, args, .. }) => {
                let states = self.split(state, args);
                states.iter().map(|state| self.enter(state, *callee, args, others)).collect()
            }
            (Step::Leave(_), Op::Call { callee, result, .. }) => {
                self.leave(state, *callee, *result, by.step.edge()).into_iter().collect()
            }
            _ => self.edge(state, by.step.edge(), others).into_iter().collect(),
        };
        next.iter_mut().for_each(|next| next.merges = 0);
        Ok(next)
    }

    fn answer(&self, state: &State<V>, query: Query) -> Answer {
        self.known_of(state, query)
    }

    fn merge(
        &mut self,
        state: &State<V>,
        reached: &State<V>,
        (): &(),
        at: &Arrival,
    ) -> Result<Option<State<V>>, Stop> {
        if self.options.merge == Merge::Sep {
            return Ok(None);
        }
        if Self::is_within(state, reached) {
            return Ok(Some(reached.clone()));
        }
        let is_widened = self.facts.loops.is_head(at.node) && reached.merges >= self.options.joins;
        let merged = if is_widened { self.widen(reached, state) } else { self.join(reached, state) };
        Ok(merged.map(|merged| State { merges: reached.merges + 1, ..merged }))
    }

    fn never_merges(&self) -> bool {
        self.options.merge == Merge::Sep
    }

    fn stop(&mut self, state: &State<V>, reached: &State<V>, (): &()) -> Result<bool, Stop> {
        Ok(Self::is_within(state, reached))
    }

    fn prec(&mut self, state: State<V>, (): &(), _: &Arrival) -> Result<Option<(State<V>, ())>, Stop> {
        Ok(Some((state, ())))
    }

    fn signature(&self, state: &State<V>) -> Signature {
        let only = |&(at, set): &(Location, V)| match set.elements(1)?[..] {
            [value] => Some(((at.var.index() as u64) << 32 ^ at.offset, value as u64)),
            _ => None,
        };
        state.store.signature(|entries| crate::constants::signature(entries.iter().filter_map(only)))
    }

    fn show(&self, state: &State<V>) -> String {
        let entries = state.store.iter().filter_map(|(at, set)| {
            let name = self.cfa.program.var_name(at.var);
            let scalar = self.layout.at(at)?;
            let is_whole = scalar.ty == self.cfa.program.vars[at.var].ty;
            let name = if is_whole { name.to_owned() } else { format!("{name}+{}", at.offset) };
            Some(set.show(&name, scalar.shape))
        });
        entries.collect::<Vec<_>>().join(", ")
    }
}
