//! Questions to the solver, within the budget of the run: an answer, or the reason to stop.

use std::time::Duration;
use summa_base::Budget;
use summa_cpa::Stop;
use summa_smt::interpolate::{ChooserOptions, Failure, Source, Tree};
use summa_smt::z3::NativeError;
use summa_smt::{
    Answer, Chooser, Family, Front, Interpolator, Limits, Model, Reason, Solver, Statistics, Z3Solver,
};
use summa_term::{Term, Terms};

/// A solver, an interpolator, and how long they may think.
pub struct Logic {
    family: Family,
    pub solver: Front<Z3Solver>,
    chooser: Chooser,
    budget: Budget,
    /// For one question, unless it says otherwise.
    pub query_time: Duration,
}

impl Logic {
    /// # Errors
    /// The solver does not start: no memory.
    pub fn new(budget: &Budget, query_time: Duration) -> Result<Self, NativeError> {
        let family = Family::new()?;
        let solver = Front::new(Z3Solver::new(&family)?);
        let chooser = Chooser::new(&family, ChooserOptions::default())?;
        Ok(Self { family, solver, chooser, budget: budget.clone(), query_time })
    }

    fn limits(&self, time: Duration) -> Limits {
        Limits::of(&self.budget, time)
    }

    /// The next checks, also those that others make, take at most this long each.
    pub fn allow(&mut self, time: Duration) {
        let limits = self.limits(time);
        self.solver.set_limits(limits);
    }

    /// Is the conjunction satisfiable?
    pub fn is_sat(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<bool, Stop> {
        self.allow(self.query_time);
        self.ask(terms, formulas)
    }

    /// A short question; what is not answered in time counts as satisfiable.
    pub fn may_be_sat(&mut self, terms: &mut Terms, formulas: &[Term], time: Duration) -> Result<bool, Stop> {
        self.allow(time);
        match self.ask(terms, formulas) {
            Err(Stop::GaveUp(_)) => {
                self.budget.check_now()?;
                Ok(true)
            }
            answer => answer,
        }
    }

    /// Does the conjunction of the premises imply the conclusion?
    pub fn implies(&mut self, terms: &mut Terms, premises: &[Term], conclusion: Term) -> Result<bool, Stop> {
        if conclusion == Terms::TRUE || premises.contains(&conclusion) {
            return Ok(true);
        }
        let mut formulas = premises.to_vec();
        formulas.push(terms.not(conclusion));
        self.is_sat(terms, &formulas).map(|is_sat| !is_sat)
    }

    /// A model of the conjunction, if there is one.
    pub fn find_model(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<Option<Model>, Stop> {
        self.find_model_within(terms, formulas, self.query_time)
    }

    /// The same, with less time.
    pub fn find_model_within(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        time: Duration,
    ) -> Result<Option<Model>, Stop> {
        self.allow(time);
        self.solver.push();
        for &formula in formulas {
            self.solver.assert(terms, formula);
        }
        let answer = self.solver.check(terms, &[]);
        let model = if answer.is_sat() { self.solver.model(terms) } else { None };
        self.solver.pop();
        match (answer, model) {
            (Answer::Unsat, _) => Ok(None),
            (Answer::Sat, Some(model)) => Ok(Some(model)),
            (Answer::Sat, None) => Err(Stop::GaveUp("the solver gave no model".to_owned())),
            (Answer::Unknown(reason), _) => Err(self.gave_up(&reason)),
        }
    }

    /// Inductive interpolants of an unsatisfiable sequence; `plainly` asks only the sources that follow the trace.
    pub fn interpolants(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Stop> {
        self.interpolate(plainly, |chooser| chooser.sequence(terms, formulas))
    }

    /// Interpolants of an unsatisfiable tree, one for each node.
    pub fn tree_interpolants(
        &mut self,
        terms: &mut Terms,
        tree: &Tree,
        plainly: bool,
    ) -> Result<Vec<Term>, Stop> {
        self.interpolate(plainly, |chooser| chooser.tree(terms, tree))
    }

    fn interpolate(
        &mut self,
        plainly: bool,
        ask: impl FnOnce(&mut Chooser) -> Result<Vec<Term>, Failure>,
    ) -> Result<Vec<Term>, Stop> {
        let limits = self.limits(self.query_time);
        let answer = if plainly {
            let sources = vec![Source::Single, Source::Pre, Source::Post];
            let options = ChooserOptions { sources, ..ChooserOptions::default() };
            let mut chooser = Chooser::new(&self.family, options)
                .map_err(|error| Stop::GaveUp(format!("the solver does not start: {error:?}")))?;
            chooser.set_limits(limits);
            ask(&mut chooser)
        } else {
            self.chooser.set_limits(limits);
            ask(&mut self.chooser)
        };
        answer.map_err(|failure| match (self.budget.check_now(), failure) {
            (Err(exhausted), _) => exhausted.into(),
            (_, Failure::Satisfiable) => Stop::GaveUp("interpolation of a satisfiable path".to_owned()),
            (_, Failure::Unknown(why)) => Stop::GaveUp(format!("no interpolants: {why}")),
        })
    }

    pub fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }

    fn ask(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<bool, Stop> {
        self.solver.push();
        for &formula in formulas {
            self.solver.assert(terms, formula);
        }
        let answer = self.solver.check(terms, &[]);
        self.solver.pop();
        match answer {
            Answer::Sat => Ok(true),
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => Err(self.gave_up(&reason)),
        }
    }

    /// No answer: because the run is over, or because the question is too hard.
    fn gave_up(&self, reason: &Reason) -> Stop {
        match self.budget.check_now() {
            Err(exhausted) => exhausted.into(),
            Ok(()) => Stop::GaveUp(match reason {
                Reason::TimeOut => "the solver took too long for one question".to_owned(),
                other => format!("solver: {other:?}"),
            }),
        }
    }
}
