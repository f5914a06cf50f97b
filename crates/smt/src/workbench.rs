//! A solver with a deadline, for algorithms that ask many small questions: elimination and interpolation.

use crate::model::Model;
use crate::quantifier::without_equations;
use crate::solver::{Answer, Limits, Solver};
use crate::z3::{Family, NativeError, Z3Solver};
use std::time::Duration;
use summa_base::clock;
use summa_term::{Term, Terms};

/// Small questions about sums of bit-vectors gain most from preprocessing, so the incremental solver gives up
/// early.
const INCREMENTAL_WORK: u32 = 100_000;

/// Questions to a solver, each within what is left of the time.
pub(crate) struct Workbench {
    pub(crate) family: Family,
    solver: Z3Solver,
    /// For cores, which a question asked as a whole does not give: this solver takes its time.
    cores: Z3Solver,
    /// Interruption from outside, for all questions.
    outer: Limits,
    /// The count of this thread at which the work ends.
    deadline: Option<Duration>,
    pub(crate) queries: u64,
}

impl Workbench {
    pub(crate) fn new(family: &Family, outer: Limits) -> Result<Self, NativeError> {
        let mut solver = Z3Solver::new(family)?;
        solver.set_incremental_work(INCREMENTAL_WORK);
        let cores = Z3Solver::new(family)?;
        Ok(Self { family: family.clone(), solver, cores, outer, deadline: None, queries: 0 })
    }

    pub(crate) fn set_outer(&mut self, outer: Limits) {
        self.outer = outer;
    }

    /// How much time those outside give at most.
    pub(crate) fn outer_time(&self) -> Duration {
        self.outer.timeout.unwrap_or(Duration::MAX)
    }

    /// From now on all questions together get this much time (counted), and never more than the time given
    /// before.
    pub(crate) fn within(&mut self, budget: Duration) -> Option<Duration> {
        let before = self.deadline;
        let end = clock::counted().checked_add(budget);
        self.deadline = match (before, end) {
            (Some(before), Some(end)) => Some(before.min(end)),
            (before, end) => before.or(end),
        };
        before
    }

    /// Ends what [`Workbench::within`] began.
    pub(crate) fn restore(&mut self, before: Option<Duration>) {
        self.deadline = before;
    }

    /// No time left, or interrupted.
    pub(crate) fn is_over(&self) -> bool {
        self.outer.is_interrupted() || self.deadline.is_some_and(|deadline| clock::counted() >= deadline)
    }

    /// Limits for one question.
    pub(crate) fn limits(&self) -> Limits {
        match self.deadline {
            Some(deadline) => self.outer.at_most(deadline.saturating_sub(clock::counted())),
            None => self.outer.clone(),
        }
    }

    fn check(&mut self, terms: &mut Terms, formulas: &[Term]) -> Answer {
        self.queries += 1;
        self.solver.set_limits(self.limits());
        for &formula in formulas {
            self.solver.assert(terms, formula);
        }
        self.solver.check(terms, &[])
    }

    /// Is the conjunction unsatisfiable? `None` if that is not known in time.
    pub(crate) fn is_unsat(&mut self, terms: &mut Terms, formulas: &[Term]) -> Option<bool> {
        // Sums of bit-vectors are hard for a solver that looks at bits, and easy once equations are put in.
        let formulas = without_equations(terms, formulas);
        if formulas.contains(&Terms::FALSE) {
            return Some(true);
        }
        self.is_unsat_by_solver(terms, &formulas)
    }

    /// The same by nothing but the solver: for checks that must not trust our own reasoning.
    pub(crate) fn is_unsat_by_solver(&mut self, terms: &mut Terms, formulas: &[Term]) -> Option<bool> {
        self.solver.push();
        let answer = self.check(terms, formulas);
        self.solver.pop();
        match answer {
            Answer::Unsat => Some(true),
            Answer::Sat => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// Is the conjunction contradictory by putting in what equations say? Needs no solver.
    pub(crate) fn is_refuted(terms: &mut Terms, formulas: &[Term]) -> bool {
        without_equations(terms, formulas).contains(&Terms::FALSE)
    }

    /// Do the premises imply the conclusion? `false` also if that is not known in time.
    pub(crate) fn entails(&mut self, terms: &mut Terms, premises: &[Term], conclusion: Term) -> bool {
        if conclusion == Terms::TRUE || premises.contains(&conclusion) {
            return true;
        }
        let mut formulas = premises.to_vec();
        formulas.push(terms.not(conclusion));
        self.is_unsat(terms, &formulas) == Some(true)
    }

    /// Which of `soft` contradict `hard`? `None` if they do not, or if that is not known in time.
    pub(crate) fn core(&mut self, terms: &mut Terms, hard: &[Term], soft: &[Term]) -> Option<Vec<Term>> {
        self.queries += 1;
        self.cores.set_limits(self.limits());
        self.cores.push();
        for &formula in hard {
            self.cores.assert(terms, formula);
        }
        let core = self.cores.check(terms, soft).is_unsat().then(|| self.cores.unsat_core());
        self.cores.pop();
        core
    }

    /// A model of the conjunction; `Ok(None)` if there is none, an error if that is not known in time.
    pub(crate) fn model(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<Option<Model>, ()> {
        self.solver.push();
        let found = match self.check(terms, formulas) {
            Answer::Sat => self.solver.model(terms).map(Some).ok_or(()),
            Answer::Unsat => Ok(None),
            Answer::Unknown(_) => Err(()),
        };
        self.solver.pop();
        found
    }

    /// If the conjunction has a model: what it leaves of `∃ symbols. body`, see [`Z3Solver::project`]. The
    /// body should be among the formulas. `Ok(None)` if there is no model, an error if that is not known in
    /// time or cannot be projected.
    pub(crate) fn project(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        symbols: &[Term],
        body: Term,
    ) -> Result<Option<Term>, ()> {
        self.solver.push();
        let found = match self.check(terms, formulas) {
            Answer::Sat => self.solver.project(terms, symbols, body).map(Some).map_err(|_| ()),
            Answer::Unsat => Ok(None),
            Answer::Unknown(_) => Err(()),
        };
        self.solver.pop();
        found
    }
}
