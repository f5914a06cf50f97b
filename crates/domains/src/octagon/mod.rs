//! Octagons: bounds of integers, and of their sums and differences in pairs.
//!
//! Paper: Miné, *The octagon abstract domain*, 2006; [`matrix`] has the octagons. Constraints are about the
//! numbers that variables are in C, so an operation that may wrap around says nothing ([`mod@transfer`]).
//! With summaries ([`mod@summary`]) a recursive function is entered with relations between its arguments: a
//! call that moves one from `n` to `m` keeps the bound on `m + n`. Bounds of each argument alone would lose
//! that as soon as they are widened.
//!
//! Limits: variables that are scalars of at most 64 bits, that are not volatile and whose address is never
//! taken; a few of them at a time. Values at the entry of a function are not related to values at its exit.

pub mod matrix;
mod say;
mod summary;
#[cfg(test)]
mod tests;
mod transfer;

pub use matrix::{Constraint, Name, Octagon};

use crate::block_vars::AllBlockVars;
use crate::registry::{Configured, NoSettings, Setup};
use crate::relational::counted;
use std::rc::Rc;
use summa_base::IdSet;
use summa_c::tree::{FuncId, VarId};
use summa_c::types::TypeId;
use summa_cfa::{Cfa, NodeId, Op};
use summa_cpa::{Answer, Arrival, Cpa, Move, Query, Signature, Step, Stop};
use summa_facts::Analyses;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub octagon: Rc<Octagon>,
    /// The knowledge of older activations of recursive functions about their variables when they called, the
    /// last one last.
    waiting: Rc<Vec<Octagon>>,
    /// Two combined parts contradict each other: no execution gets here.
    is_empty: bool,
    /// How often it was merged or widened.
    merges: u32,
}

pub struct Octagons<'a> {
    pub(crate) cfa: &'a Cfa,
    facts: &'a Analyses,
    /// The variables that constraints are about.
    counted: IdSet<VarId>,
    block_vars: AllBlockVars<'a>,
    /// States that meet are joined; otherwise they are kept apart.
    pub merges: bool,
}

/// Merges at a loop head before widening.
const JOINS: u32 = 2;
/// Closure can recover what widening gave up, again and again. After this many merges nothing is kept.
const MAX_MERGES: u32 = 60;

impl<'a> Octagons<'a> {
    pub fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        let is_followed = |&var: &VarId| {
            limits(cfa, cfa.program.vars[var].ty).is_some() && facts.relevance.variables.contains(var)
        };
        let counted = counted(cfa, facts).iter().filter(is_followed).collect();
        Self { cfa, facts, counted, block_vars: AllBlockVars::new(cfa, facts), merges: true }
    }

    /// Is it a variable of the frame of the function?
    fn is_in_frame(&self, name: Name, function: FuncId) -> bool {
        matches!(name, Name::Now(var) if self.cfa.program.vars[var].kind.frame() == Some(function))
    }

    fn is_within(state: &State, wider: &State) -> bool {
        state.is_empty
            || !wider.is_empty
                && state.waiting.len() == wider.waiting.len()
                && state.octagon.is_within(&wider.octagon)
                && state.waiting.iter().zip(&*wider.waiting).all(|(one, other)| one.is_within(other))
    }

    /// An upper bound of both, by the operation for octagons; None if they have different calls behind them.
    fn combined(old: &State, new: &State, combine: impl Fn(&Octagon, &Octagon) -> Octagon) -> Option<State> {
        let (old, new) = match (old.is_empty, new.is_empty) {
            (true, _) => (new, new),
            (_, true) => (old, old),
            _ => (old, new),
        };
        (old.waiting.len() == new.waiting.len()).then(|| State {
            octagon: Rc::new(combine(&old.octagon, &new.octagon)),
            waiting: Rc::new(old.waiting.iter().zip(&*new.waiting).map(|(a, b)| combine(a, b)).collect()),
            is_empty: old.is_empty && new.is_empty,
            merges: old.merges,
        })
    }

    fn widened(old: &State, new: &State) -> Option<State> {
        let gives_up = old.merges > MAX_MERGES;
        Self::combined(old, new, |a, b| if gives_up { Octagon::default() } else { a.widen(b) })
    }
}

/// The numbers of an integer type of at most 64 bits.
fn limits(cfa: &Cfa, ty: TypeId) -> Option<(i128, i128)> {
    let types = &cfa.program.types;
    let width = types.int_width(ty).filter(|&width| types.is_integer(ty) && width <= 64)?;
    Some(match types.is_signed(ty) {
        _ if ty == types.bool => (0, 1),
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    })
}

impl Cpa for Octagons<'_> {
    type State = State;
    type Precision = ();

    fn initial(&mut self, _: NodeId) -> (State, ()) {
        (State::default(), ())
    }

    fn transfer(&mut self, state: &State, (): &(), by: Move) -> Result<Vec<State>, Stop> {
        if state.is_empty {
            return Ok(Vec::new());
        }
        let next = match (by.step, &self.cfa.edges[by.step.edge()].op) {
            (Step::Enter(_), Op::Call { callee, args, .. }) => self.enter(state, *callee, args),
            (Step::Leave(_), Op::Call { callee, result, .. }) => self.leave(state, *callee, *result),
            _ => self.edge(state, by.step.edge()),
        };
        Ok(next.into_iter().map(|next| State { merges: 0, ..next }).collect())
    }

    fn answer(&self, state: &State, query: Query) -> Answer {
        self.known_of(state, query)
    }

    fn merge(
        &mut self,
        state: &State,
        reached: &State,
        (): &(),
        at: &Arrival,
    ) -> Result<Option<State>, Stop> {
        if !self.merges {
            return Ok(None);
        }
        if Self::is_within(state, reached) {
            return Ok(Some(reached.clone()));
        }
        let is_widened = self.facts.loops.is_head(at.node) && reached.merges >= JOINS;
        let merged = match is_widened || reached.merges > MAX_MERGES {
            true => Self::widened(reached, state),
            false => Self::combined(reached, state, Octagon::join),
        };
        Ok(merged.map(|merged| State { merges: reached.merges + 1, ..merged }))
    }

    fn never_merges(&self) -> bool {
        !self.merges
    }

    fn stop(&mut self, state: &State, reached: &State, (): &()) -> Result<bool, Stop> {
        Ok(Self::is_within(state, reached))
    }

    fn prec(&mut self, state: State, (): &(), _: &Arrival) -> Result<Option<(State, ())>, Stop> {
        Ok(Some((state, ())))
    }

    fn signature(&self, _: &State) -> Signature {
        Signature::default()
    }

    fn show(&self, state: &State) -> String {
        if state.is_empty {
            return "nothing".to_owned();
        }
        let shown =
            state.octagon.constraints().iter().map(|one| self.show_constraint(one)).collect::<Vec<_>>();
        shown.join(", ")
    }
}

impl Octagons<'_> {
    fn show_constraint(&self, constraint: &Constraint) -> String {
        let mut text = String::new();
        for &(name, is_negative) in &constraint.terms {
            let (var, mark) = match name {
                Name::Now(var) => (var, ""),
                Name::Next(var) => (var, "'"),
            };
            let sign = match (is_negative, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text.push_str(&format!("{sign}{}{mark}", self.cfa.program.var_name(var)));
        }
        format!("{text} ≤ {}", constraint.bound)
    }
}

impl<'a> Configured<'a> for Octagons<'a> {
    const NAME: &'static str = "octagon";
    const WHAT: &'static str = "bounds of integers, and of their sums and differences in pairs";
    type Settings = NoSettings;

    fn make(_: &NoSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        Ok(Self::new(setup.cfa, setup.facts))
    }
}
