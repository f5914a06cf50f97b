//! Questions to the checker's own solver, within the budget of the check.
//!
//! If there is a second solver, it is asked everything that the first one calls impossible, because a proof
//! rests on these answers. If the second solver has a model, or fails, nothing is confirmed.

use crate::refusal::{Obligation, Refusal};
use std::time::Duration;
use summa_base::{Budget, FxHashSet};
use summa_cfa::NodeId;
use summa_smt::{Answer, Family, Front, Limits, Opinion, SecondSolver, Solver, Z3Solver};
use summa_term::{Term, Terms, smtlib};

/// For one question.
const QUERY_TIME: Duration = Duration::from_secs(120);

pub(crate) struct Questions {
    /// Created at the first question: many proofs ask none, and creating a solver takes time.
    solver: Option<Front<Z3Solver>>,
    budget: Budget,
    /// How many were asked.
    pub(crate) asked: u64,
    second: Option<SecondSolver>,
    /// What the second solver has found impossible.
    agreed: FxHashSet<Vec<Term>>,
    /// How many it was asked.
    pub(crate) seconded: u64,
}

impl Questions {
    pub(crate) fn new(budget: &Budget, second: Option<&SecondSolver>) -> Self {
        let (second, agreed) = (second.cloned(), FxHashSet::default());
        Self { solver: None, budget: budget.clone(), asked: 0, second, agreed, seconded: 0 }
    }

    /// Is it certain that the formulas have no common model? Only a solver's answer counts.
    pub(crate) fn is_impossible(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        (step, at): (Obligation, NodeId),
    ) -> Result<bool, Refusal> {
        match self.ask(terms, formulas, QUERY_TIME)? {
            Answer::Unsat => match self.doubt(terms, formulas, QUERY_TIME)? {
                None => Ok(true),
                Some(why) => {
                    self.budget.check_now()?;
                    Err(Refusal::GaveUp { step, at, reason: format!("the second solver: {why}") })
                }
            },
            Answer::Sat => Ok(false),
            Answer::Unknown(reason) => {
                self.budget.check_now()?;
                Err(Refusal::GaveUp { step, at, reason: format!("{reason:?}") })
            }
        }
    }

    /// The same where it is enough to know soon: no answer is no.
    pub(crate) fn is_soon_impossible(
        &mut self,
        terms: &mut Terms,
        formulas: &[Term],
        time: Duration,
    ) -> Result<bool, Refusal> {
        let answer = self.ask(terms, formulas, time)?;
        self.budget.check_now()?;
        Ok(answer == Answer::Unsat && self.doubt(terms, formulas, QUERY_TIME)?.is_none())
    }

    /// Why the second solver does not call it impossible too.
    fn doubt(
        &mut self,
        terms: &Terms,
        formulas: &[Term],
        time: Duration,
    ) -> Result<Option<&'static str>, Refusal> {
        let Some(second) = &self.second else { return Ok(None) };
        let mut question = formulas.to_vec();
        question.sort_unstable();
        question.dedup();
        if self.agreed.contains(&question) {
            return Ok(None);
        }
        let time = self.budget.remaining().map_or(time, |left| left.min(time));
        self.seconded += 1;
        match second.ask(&smtlib::script(terms, &question), time, &self.budget.interrupt()) {
            Ok(Opinion::Unsat) => {
                self.agreed.insert(question);
                Ok(None)
            }
            Ok(Opinion::Unknown(why)) => Ok(Some(why)),
            Ok(Opinion::Sat) => Err(Refusal::Disagreement),
            Err(why) => Err(Refusal::SecondSolver(why)),
        }
    }

    fn ask(&mut self, terms: &mut Terms, formulas: &[Term], time: Duration) -> Result<Answer, Refusal> {
        let solver = match &mut self.solver {
            Some(solver) => solver,
            none => none.insert(new_solver()?),
        };
        solver.set_limits(Limits::of(&self.budget, time));
        solver.push();
        for &formula in formulas {
            solver.assert(terms, formula);
        }
        let answer = solver.check(terms, &[]);
        solver.pop();
        self.asked += 1;
        Ok(answer)
    }
}

fn new_solver() -> Result<Front<Z3Solver>, Refusal> {
    let solver = Family::beside_the_last().and_then(|family| Z3Solver::new(&family));
    solver.map(Front::new).map_err(|_| Refusal::NoSolver)
}
