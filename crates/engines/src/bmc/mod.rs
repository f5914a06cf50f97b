//! Incremental bounded model checking: is an error reachable with at most k rounds of each loop and k nested activations of
//! each recursive function? k grows until an error is found, until nothing is cut off any more (the forward condition:
//! then the program is safe), or until the budget ends.
//!
//! Paper: Biere, Cimatti, Clarke, Zhu, *Symbolic model checking without BDDs*, 1999; the forward condition after Beyer,
//! Dangl, Wendler, *A unifying view on SMT-based software verification*, 2018, Section 4.1.
//! Limits: what an error means is checked by whoever replays the inputs.

mod unroll;

pub use unroll::{Findings, Oracle, Unroller};

use std::time::Duration;
use summa_base::Budget;
use summa_cfa::analysis::Analyses;
use summa_cfa::{Cfa, EdgeId};
use summa_encode::{Encoder, Encoding, Input, InputSource, Value};
use summa_smt::{Answer, Limits, Model, Solver};
use summa_term::{Evaluator, Term, Terms};

/// What to look for, and how long.
pub struct Task<'t> {
    pub cfa: &'t Cfa,
    pub facts: &'t Analyses,
    pub encoding: Encoding,
    pub budget: &'t Budget,
    /// Which error edges count.
    pub is_error: &'t dyn Fn(EdgeId) -> bool,
    /// Time for one question to the solver.
    pub query_timeout: Duration,
}

#[derive(Debug)]
pub enum Outcome {
    /// No error, and nothing was cut off at this bound.
    Safe {
        bound: u32,
    },
    /// A run that should reach the error: what the program does not determine, in order.
    Error {
        bound: u32,
        edge: EdgeId,
        inputs: Vec<Choice>,
    },
    Unknown {
        bound: u32,
        reason: String,
    },
}

/// A value chosen by the solver for something that the program does not determine.
#[derive(Clone, Debug)]
pub struct Choice {
    pub input: Input,
    /// None for pointers, whose numbers mean nothing outside.
    pub value: Option<summa_term::Value>,
}

/// The bounds that are tried: one by one first, then in growing steps.
fn next_bound(bound: u32) -> u32 {
    bound + (bound / 2).max(1)
}

/// Looks for errors with growing bounds. `replay` is asked about each candidate; if it does not confirm one, the search
/// ends, since the formulas were not exact.
pub fn check(task: &Task<'_>, solver: &mut dyn Solver, replay: &mut dyn FnMut(&[Choice]) -> bool) -> Outcome {
    let mut encoder = Encoder::new(task.cfa, task.facts, task.encoding);
    let mut questions = Questions { solver, asserted: 0, timeout: task.query_timeout, budget: task.budget };
    let mut bound = 1;
    loop {
        let mut unroller = Unroller::new(&mut encoder, &mut questions, task.budget, task.is_error, bound);
        let result = unroller.program();
        let findings = std::mem::take(&mut unroller.findings);
        if let Err(exhausted) = result {
            return Outcome::Unknown { bound, reason: exhausted.to_string() };
        }
        match questions.any(&mut encoder, &findings.errors) {
            Answer::Sat => return questions.counterexample(&mut encoder, &findings, bound, replay),
            Answer::Unsat => {}
            Answer::Unknown(reason) => {
                return Outcome::Unknown { bound, reason: format!("solver: {reason:?}") };
            }
        }
        match questions.any(&mut encoder, &findings.unsupported) {
            Answer::Unsat => {}
            _ => return Outcome::Unknown { bound, reason: unsupported(task.cfa, &findings) },
        }
        match questions.any(&mut encoder, &findings.cut) {
            Answer::Unsat => return Outcome::Safe { bound },
            Answer::Sat | Answer::Unknown(_) => bound = next_bound(bound),
        }
        if task.budget.check_now().is_err() {
            return Outcome::Unknown { bound, reason: "time limit".to_string() };
        }
        encoder.inputs.clear();
    }
}

fn unsupported(cfa: &Cfa, findings: &Findings) -> String {
    let what = findings.unsupported.first().map(|&(_, edge)| cfa.edges[edge].op.text(&cfa.program));
    format!("unsupported: {}", what.unwrap_or_default())
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

    /// A model of an error in which uninitialised variables are zero, if there is one: then a replay needs no order of
    /// asking for them. Otherwise any model.
    fn model(&mut self, encoder: &mut Encoder<'_>, findings: &Findings) -> Option<Model> {
        let mut wanted = Vec::new();
        for input in &encoder.inputs {
            if let (InputSource::Uninitialised(_), Value::Scalar(term)) = (input.source, &input.value)
                && let Some(zero) = encoder.terms.zero_of(*term)
            {
                wanted.push((*term, zero));
            }
        }
        let mut parts: Vec<Term> =
            wanted.into_iter().map(|(term, zero)| encoder.terms.eq(term, zero)).collect();
        if !parts.is_empty() {
            let errors: Vec<Term> = findings.errors.iter().map(|&(condition, _)| condition).collect();
            parts.push(encoder.terms.or(&errors));
            let all = encoder.terms.and(&parts);
            if !self.ask(encoder, all, self.timeout).is_sat() {
                self.any(encoder, &findings.errors);
            }
        }
        self.solver.model(&mut encoder.terms)
    }

    /// The model of an error as choices, confirmed by a replay.
    fn counterexample(
        &mut self,
        encoder: &mut Encoder<'_>,
        findings: &Findings,
        bound: u32,
        replay: &mut dyn FnMut(&[Choice]) -> bool,
    ) -> Outcome {
        let Some(model) = self.model(encoder, findings) else {
            return Outcome::Unknown { bound, reason: "the solver gave no model".to_string() };
        };
        let mut evaluator = Evaluator::new(&encoder.terms, &model);
        let edge = findings.errors.iter().find(|&&(condition, _)| evaluator.is_true(condition) == Some(true));
        let edge = edge.map(|&(_, edge)| edge);
        let mut inputs = Vec::new();
        for input in &encoder.inputs {
            if evaluator.is_true(input.guard) == Some(true) {
                let value = input.value.scalar().and_then(|term| evaluator.eval(term));
                inputs.push(Choice { value, input: input.clone() });
            }
        }
        match edge {
            Some(edge) if replay(&inputs) => Outcome::Error { bound, edge, inputs },
            _ => {
                let what = encoder.approximations.first().map_or("the formulas", |a| a.what.as_str());
                let reason = format!("a counterexample did not replay: {what} is not exact");
                Outcome::Unknown { bound, reason }
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
