//! Incremental bounded model checking: is an error reachable with at most k rounds of each loop and k nested activations of
//! each recursive function? k grows until an error is found, until nothing is cut off any more (the forward condition:
//! then the program is safe), or until the budget ends.
//!
//! Paper: Biere, Cimatti, Clarke, Zhu, *Symbolic model checking without BDDs*, 1999; the forward condition after Beyer,
//! Dangl, Wendler, *A unifying view on SMT-based software verification*, 2018, Section 4.1.
//! Limits: what an error means is checked by whoever replays the inputs.

mod unroll;

pub use unroll::{Findings, Oracle, Unroller};

use crate::counterexample::choices;
use crate::explore::unsupported;
use crate::task::{Outcome, Reason, Replay, Task};
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::EdgeId;
use summa_encode::Encoder;
use summa_smt::{Answer, Limits, Solver};
use summa_term::{Evaluator, Term, Terms};

/// The first bound, and the last one if there is one.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub start: u32,
    pub max: Option<u32>,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { start: 1, max: None }
    }
}

/// The bounds that are tried: one by one first, then in growing steps.
pub(crate) fn next_bound(bound: u32) -> u32 {
    bound.saturating_add((bound / 2).max(1))
}

/// Looks for errors with growing bounds. `replay` is asked about each candidate; if it does not confirm one, the search
/// ends, since the formulas were not exact. The bound up to which there is no error is on the board.
pub fn check(task: &Task<'_>, bounds: Bounds, solver: &mut dyn Solver, replay: &mut Replay<'_>) -> Outcome {
    let mut encoder = Encoder::new(task.cfa, task.facts, task.encoding);
    let mut questions = Questions { solver, asserted: 0, timeout: task.query_timeout, budget: &task.budget };
    let mut bound = bounds.start;
    loop {
        task.board.set_phase(format!("unrolling with bound {bound}"));
        let mut unroller = Unroller::new(&mut encoder, &mut questions, task, bound);
        let result = unroller.program();
        let findings = std::mem::take(&mut unroller.findings);
        if let Err(exhausted) = result {
            return Outcome::unknown(exhausted);
        }
        task.board.set_phase(format!("asking for an error within bound {bound}"));
        match questions.any(&mut encoder, &findings.errors) {
            Answer::Sat => return questions.counterexample(&mut encoder, &findings, replay),
            Answer::Unsat => {}
            Answer::Unknown(reason) => return Outcome::unknown(questions.reason(reason)),
        }
        if questions.any(&mut encoder, &findings.unsupported) != Answer::Unsat
            && let Some(&(_, edge)) = findings.unsupported.first()
        {
            return Outcome::unknown(unsupported(task, edge));
        }
        task.board.set_bound(bound);
        if questions.any(&mut encoder, &findings.cut) == Answer::Unsat {
            return Outcome::Safe;
        }
        if let Err(exhausted) = task.budget.check_now() {
            return Outcome::unknown(exhausted);
        }
        if bounds.max.is_some_and(|max| bound >= max) {
            return Outcome::unknown(Reason::GaveUp(format!("no error up to the bound {bound}")));
        }
        bound = next_bound(bound).min(bounds.max.unwrap_or(u32::MAX));
        encoder.inputs.clear();
    }
}

/// The solver with the facts that the encoder has made known so far.
struct Questions<'s> {
    solver: &'s mut dyn Solver,
    /// How many of the encoder's constraints the solver has.
    asserted: usize,
    timeout: Duration,
    budget: &'s Budget,
}

impl Questions<'_> {
    fn update(&mut self, encoder: &Encoder<'_>) {
        for &fact in &encoder.constraints[self.asserted..] {
            self.solver.assert(&encoder.terms, fact);
        }
        self.asserted = encoder.constraints.len();
    }

    /// Can one of the conditions hold?
    fn any(&mut self, encoder: &mut Encoder<'_>, found: &[(Term, EdgeId)]) -> Answer {
        let conditions: Vec<Term> = found.iter().map(|&(condition, _)| condition).collect();
        let some = encoder.terms.or(&conditions);
        self.ask(encoder, some, self.timeout)
    }

    fn ask(&mut self, encoder: &mut Encoder<'_>, condition: Term, timeout: Duration) -> Answer {
        if condition == Terms::FALSE {
            return Answer::Unsat;
        }
        self.update(encoder);
        let timeout = self.budget.remaining().map_or(timeout, |left| left.min(timeout));
        self.solver.set_limits(Limits { timeout: Some(timeout), interrupt: Some(self.budget.interrupt()) });
        self.solver.check(&mut encoder.terms, &[condition])
    }

    /// Out of time altogether, or for this question only.
    fn reason(&self, reason: summa_smt::Reason) -> Reason {
        match self.budget.check_now() {
            Err(exhausted) => exhausted.into(),
            Ok(()) => reason.into(),
        }
    }

    /// The model of an error as choices, confirmed by a replay.
    fn counterexample(
        &mut self,
        encoder: &mut Encoder<'_>,
        findings: &Findings,
        replay: &mut Replay<'_>,
    ) -> Outcome {
        let Some(model) = self.solver.model(&mut encoder.terms) else {
            return Outcome::unknown(Reason::GaveUp("the solver gave no model".to_owned()));
        };
        let mut evaluator = Evaluator::new(&encoder.terms, &model);
        let edge = findings.errors.iter().find(|&&(condition, _)| evaluator.is_true(condition) == Some(true));
        let edge = edge.map(|&(_, edge)| edge);
        let inputs = choices(&encoder.terms, &model, &encoder.inputs);
        match edge {
            Some(edge) if replay(&inputs) => Outcome::Error { edge, inputs },
            _ => {
                let what =
                    encoder.approximations.first().map_or("the formulas", |a| a.what.as_str()).to_owned();
                Outcome::unknown(Reason::Inexact { what, edge })
            }
        }
    }
}

impl Oracle for Questions<'_> {
    fn is_feasible(&mut self, encoder: &mut Encoder<'_>, condition: Term) -> bool {
        // A short question: what is wrongly taken as feasible only costs time.
        condition == Terms::TRUE || !self.ask(encoder, condition, Duration::from_millis(100)).is_unsat()
    }
}
