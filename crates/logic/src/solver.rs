//! A solver and an interpolator that keep to the budget of a run: an answer, or why there is none.

use std::time::Duration;
use summa_base::{Budget, Exhausted, Unanswered};
use summa_smt::interpolate::{ChooserOptions, Failure, Source, Tree};
use summa_smt::{
    Answer, Chooser, Family, Front, Interpolator, Limits, Model, Reason, Solver, Statistics, Z3Solver,
};
use summa_term::{Term, Terms};

/// A solver, an interpolator, and how long they may think.
pub struct BoundedSolver {
    family: Family,
    /// For questions that build on each other: a stack of formulas. See [`BoundedSolver::allow`].
    pub stack: Front<Z3Solver>,
    /// Created at the first interpolation.
    chooser: Option<Chooser>,
    budget: Budget,
    /// For one question, unless the question names its own time.
    pub query_time: Duration,
}

impl BoundedSolver {
    /// # Errors
    /// The solver does not start: no memory.
    pub fn new(budget: &Budget, query_time: Duration) -> Result<Self, Unanswered> {
        let family = Family::new().map_err(does_not_start)?;
        let stack = Front::new(Z3Solver::new(&family).map_err(does_not_start)?);
        Ok(Self { family, stack, chooser: None, budget: budget.clone(), query_time })
    }

    fn limits(&self, time: Duration) -> Limits {
        Limits::of(&self.budget, time)
    }

    /// The next checks on the stack take at most this long each.
    pub fn allow(&mut self, time: Duration) {
        let limits = self.limits(time);
        self.stack.set_limits(limits);
    }

    /// # Errors
    /// The run is over.
    pub fn check_budget(&self) -> Result<(), Unanswered> {
        Ok(self.budget.check_now()?)
    }

    /// Is the conjunction satisfiable?
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn is_sat(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<bool, Unanswered> {
        self.allow(self.query_time);
        self.ask(terms, formulas)
    }

    /// A short question; what is not answered in time counts as satisfiable.
    ///
    /// # Errors
    /// The run is over.
    pub fn may_be_sat(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        time: Duration,
    ) -> Result<bool, Unanswered> {
        self.allow(time);
        match self.ask(terms, formulas) {
            Err(Unanswered::GaveUp(_)) => {
                self.check_budget()?;
                Ok(true)
            }
            answer => answer,
        }
    }

    /// A model of the conjunction, if there is one.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn find_model(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        time: Duration,
    ) -> Result<Option<Model>, Unanswered> {
        self.allow(time);
        let (answer, model) = self.checked(terms, formulas, true);
        match (answer, model) {
            (Answer::Unsat, _) => Ok(None),
            (Answer::Sat, Some(model)) => Ok(Some(model)),
            (Answer::Sat, None) => Err(Unanswered::GaveUp("the solver gave no model".to_owned())),
            (Answer::Unknown(reason), _) => Err(self.gave_up(&reason)),
        }
    }

    /// Inductive interpolants of an unsatisfiable sequence; `plainly` asks only the sources that follow the
    /// trace.
    ///
    /// # Errors
    /// None were found in time.
    pub fn interpolants(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Unanswered> {
        self.interpolate(plainly, |chooser| chooser.sequence(terms, formulas))
    }

    /// Interpolants of an unsatisfiable tree, one for each node.
    ///
    /// # Errors
    /// None were found in time.
    pub fn tree_interpolants(
        &mut self,
        terms: &mut Terms,
        tree: &Tree,
        plainly: bool,
    ) -> Result<Vec<Term>, Unanswered> {
        self.interpolate(plainly, |chooser| chooser.tree(terms, tree))
    }

    fn interpolate(
        &mut self,
        plainly: bool,
        ask: impl FnOnce(&mut Chooser) -> Result<Vec<Term>, Failure>,
    ) -> Result<Vec<Term>, Unanswered> {
        let limits = self.limits(self.query_time);
        let mut plain = None;
        let chooser = if plainly {
            let sources = vec![Source::Single, Source::Pre, Source::Post];
            let options = ChooserOptions { sources, ..ChooserOptions::default() };
            plain.insert(Chooser::new(&self.family, options).map_err(does_not_start)?)
        } else {
            match &mut self.chooser {
                Some(chooser) => chooser,
                none => none
                    .insert(Chooser::new(&self.family, ChooserOptions::default()).map_err(does_not_start)?),
            }
        };
        chooser.set_limits(limits);
        ask(chooser).map_err(|failure| match (self.budget.check_now(), failure) {
            (Err(exhausted), _) => exhausted.into(),
            (_, Failure::Satisfiable) => Unanswered::GaveUp("interpolation of a satisfiable path".to_owned()),
            (_, Failure::Unknown(why)) => Unanswered::GaveUp(format!("no interpolants: {why}")),
        })
    }

    pub fn statistics(&self) -> Statistics {
        self.stack.statistics()
    }

    fn ask(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<bool, Unanswered> {
        match self.checked(terms, formulas, false).0 {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(self.gave_up(&reason)),
        }
    }

    fn checked(&mut self, terms: &mut Terms, formulas: &[Term], with_model: bool) -> (Answer, Option<Model>) {
        self.stack.push();
        for &formula in formulas {
            self.stack.assert(terms, formula);
        }
        let answer = self.stack.check(terms, &[]);
        let model = if with_model && answer.is_sat() { self.stack.model(terms) } else { None };
        self.stack.pop();
        (answer, model)
    }

    /// No answer: because the run is over, or because the question is too hard.
    fn gave_up(&self, reason: &Reason) -> Unanswered {
        match self.budget.check_now() {
            Err(exhausted) => exhausted.into(),
            Ok(()) => Unanswered::GaveUp(match reason {
                Reason::TimeOut => "the solver took too long for one question".to_owned(),
                Reason::Interrupted => return Exhausted::Interrupted.into(),
                Reason::Incomplete(what) => format!("the solver gave up: {what}"),
                Reason::Unsupported(what) => format!("the solver cannot take {what}"),
            }),
        }
    }
}

fn does_not_start(error: impl std::fmt::Debug) -> Unanswered {
    Unanswered::GaveUp(format!("the solver does not start: {error:?}"))
}
