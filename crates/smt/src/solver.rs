//! The interface to solvers, without naming one: a stack of formulas, checks under assumptions, models,
//! cores.
//!
//! Obligations of an implementation: `Sat` and `Unsat` are answered only when they are true. Any failure (a
//! limit, an interruption, a term that the solver does not support) is `Unknown` with its reason, and the
//! solver stays usable.

use crate::model::Model;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use summa_base::{Budget, Ends};
use summa_term::{Term, Terms};

/// The answer to a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Sat,
    Unsat,
    Unknown(Reason),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        *self == Self::Sat
    }

    pub fn is_unsat(&self) -> bool {
        *self == Self::Unsat
    }
}

/// Why a solver does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    TimeOut,
    Interrupted,
    /// The solver's own words.
    Incomplete(String),
    /// A term that the solver cannot take.
    Unsupported(String),
}

/// Bounds on one query.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Counted work (`summa_base::clock`), not time: what is answered within it does not depend on the
    /// machine.
    pub timeout: Option<Duration>,
    /// Raised from another thread: the query ends soon after.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// The ends of the run in real time.
    pub ends: Ends,
}

impl Limits {
    pub fn timeout(timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..Self::default() }
    }

    /// At most this much work, within this thread's share of the budget and within the real time of the run.
    pub fn of(budget: &Budget, timeout: Duration) -> Self {
        let timeout = budget.share_left().map_or(timeout, |left| left.min(timeout));
        Self { timeout: Some(timeout), interrupt: Some(budget.interrupt()), ends: budget.ends() }
    }

    /// The same with at most this much work.
    pub fn at_most(&self, timeout: Duration) -> Self {
        let timeout = self.timeout.map_or(timeout, |given| given.min(timeout));
        Self { timeout: Some(timeout), ..self.clone() }
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed))
    }
}

/// How an enumeration of models ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllSat {
    /// Every combination was reported.
    Complete,
    /// The limit was reached or the callback stopped: there may be more.
    Stopped,
    Unknown(Reason),
}

/// What a solver did so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Checks asked for.
    pub checks: u64,
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Checks answered before the solver was asked, by means.
    pub avoided_trivial: u64,
    pub avoided_cached: u64,
    pub avoided_by_model: u64,
    /// Time in the solver.
    pub time: Duration,
}

impl Statistics {
    pub(crate) fn count(&mut self, answer: &Answer) {
        self.checks += 1;
        match answer {
            Answer::Sat => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}

/// A solver with a stack of assertions. All terms come from one store.
pub trait Solver {
    /// Opens a scope.
    fn push(&mut self);

    /// Drops the innermost scope with its assertions. Without one this does nothing.
    fn pop(&mut self);

    /// Number of open scopes.
    fn level(&self) -> usize;

    /// Adds `formula` to the innermost scope.
    fn assert(&mut self, terms: &Terms, formula: Term);

    /// Is the conjunction of all assertions and `assumptions` satisfiable?
    fn check(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Answer;

    /// A model, if the last call was a check that answered `Sat`.
    fn model(&mut self, terms: &mut Terms) -> Option<Model>;

    /// After `Unsat`: assumptions of that check that are unsatisfiable together with the assertions. Not
    /// always minimal.
    fn unsat_core(&mut self) -> Vec<Term>;

    /// Bounds for each following check.
    fn set_limits(&mut self, limits: Limits);

    fn statistics(&self) -> Statistics;

    /// Reports every combination of truth values of `important` that the assertions allow, each once, until
    /// `limit` combinations or until the callback breaks.
    fn all_sat(
        &mut self,
        terms: &mut Terms,
        important: &[Term],
        limit: usize,
        callback: &mut dyn FnMut(&[bool]) -> ControlFlow<()>,
    ) -> AllSat {
        self.push();
        let outcome = enumerate(self, terms, important, limit, callback);
        self.pop();
        outcome
    }
}

/// The loop of [`Solver::all_sat`], inside a scope of its own: each combination is excluded once it is
/// reported.
fn enumerate<S: Solver + ?Sized>(
    solver: &mut S,
    terms: &mut Terms,
    important: &[Term],
    limit: usize,
    callback: &mut dyn FnMut(&[bool]) -> ControlFlow<()>,
) -> AllSat {
    for found in 0.. {
        match solver.check(terms, &[]) {
            Answer::Unsat => return AllSat::Complete,
            Answer::Unknown(reason) => return AllSat::Unknown(reason),
            Answer::Sat if found >= limit => return AllSat::Stopped,
            Answer::Sat => {}
        }
        let Some(model) = solver.model(terms) else {
            return AllSat::Unknown(Reason::Incomplete("a model without values".into()));
        };
        let mut values = Vec::with_capacity(important.len());
        for &formula in important {
            match model.is_true(terms, formula) {
                Some(value) => values.push(value),
                None => return AllSat::Unknown(Reason::Incomplete("a formula without a value".into())),
            }
        }
        if callback(&values).is_break() {
            return AllSat::Stopped;
        }
        let differs: Vec<Term> = important
            .iter()
            .zip(&values)
            .map(|(&formula, &value)| if value { terms.not(formula) } else { formula })
            .collect();
        let differs = terms.or(&differs);
        solver.assert(terms, differs);
    }
    AllSat::Complete
}
