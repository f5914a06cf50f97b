//! The precise check of an abstract error path: is there an execution along it?
//!
//! The path is written as one formula from the start of the program; a model of it gives the inputs, and the program is run with
//! them. Only a run that violates the property makes an error. A model that does not replay means that the formula is not exact: then the
//! caller tries the other encoding, and never gives a verdict.

use crate::task::{Choice, Reason, Replay, Task};
use summa_cfa::EdgeId;
use summa_cpa::{Move, Step};
use summa_encode::{Encoder, Input, PathId, Paths};
use summa_smt::{Answer, Model, Solver, Statistics, Z3Solver};
use summa_term::{Evaluator, Terms};

/// What became of a path.
#[derive(Debug)]
pub enum Feasibility {
    /// A run with these inputs violates the property.
    Replayed(Vec<Choice>),
    /// No execution takes this path.
    Infeasible,
    /// There is a model, but the run with its inputs does not violate the property.
    NotReplayed(Reason),
    Undecided(Reason),
}

/// Checks paths; formulas are shared between them.
pub struct PathChecker<'t> {
    task: Task<'t>,
    paths: Paths<'t>,
    solver: Z3Solver,
}

impl<'t> PathChecker<'t> {
    pub fn new(task: &Task<'t>) -> Result<Self, Reason> {
        let paths = Paths::new(Encoder::new(task.cfa, task.facts, task.encoding));
        Ok(Self { task: task.clone(), paths, solver: task.new_solver()? })
    }

    pub fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }

    /// Is there an execution along these moves, which begin at the start of the program and end with the error at `edge`?
    pub fn check(&mut self, moves: &[Move], edge: EdgeId, replay: &mut Replay<'_>) -> Feasibility {
        let path = match self.follow(moves) {
            Ok(path) => path,
            Err(reason) => return Feasibility::Undecided(reason),
        };
        match self.model_of(path) {
            Ok(None) => Feasibility::Infeasible,
            Ok(Some(model)) => {
                let inputs = self.paths.inputs(path);
                let choices = choices(&self.paths.encoder.terms, &model, &inputs);
                if replay(&choices) {
                    return Feasibility::Replayed(choices);
                }
                let what = self
                    .paths
                    .approximations(path)
                    .first()
                    .map_or("the path formula", |a| a.what.as_str())
                    .to_owned();
                Feasibility::NotReplayed(Reason::Inexact { what, edge: Some(edge) })
            }
            Err(reason) => Feasibility::Undecided(reason),
        }
    }

    /// Can control get along these moves at all? `None` if the solver cannot tell.
    pub fn is_feasible(&mut self, moves: &[Move]) -> Option<bool> {
        let path = self.follow(moves).ok()?;
        Some(self.model_of(path).ok()?.is_some())
    }

    fn follow(&mut self, moves: &[Move]) -> Result<PathId, Reason> {
        let mut path = self.paths.program_start();
        for by in moves {
            self.task.budget.check()?;
            path = match by.step {
                Step::Edge(edge) => self.paths.edge(path, edge),
                Step::Enter(call) => self.paths.enter(path, call),
                Step::Leave(call) => self.paths.leave(path, call).map_err(|unsupported| {
                    Reason::Unsupported { what: unsupported.to_string(), edge: Some(unsupported.edge) }
                })?,
            };
            if self.paths.guard(path) == Terms::FALSE {
                break;
            }
        }
        Ok(path)
    }

    /// A model of the path, if there is one.
    fn model_of(&mut self, path: PathId) -> Result<Option<Model>, Reason> {
        let mut formula = self.paths.facts(path);
        formula.push(self.paths.guard(path));
        if formula.contains(&Terms::FALSE) {
            return Ok(None);
        }
        let terms = &mut self.paths.encoder.terms;
        self.solver.set_limits(self.task.limits());
        self.solver.push();
        for &part in &formula {
            self.solver.assert(terms, part);
        }
        let result = match self.solver.check(terms, &[]) {
            Answer::Unsat => Ok(None),
            Answer::Sat => match self.solver.model(terms) {
                Some(model) => Ok(Some(model)),
                None => Err(Reason::GaveUp("the solver gave no model".to_owned())),
            },
            // Out of time altogether, or for this question only.
            Answer::Unknown(reason) => match self.task.budget.check_now() {
                Err(exhausted) => Err(exhausted.into()),
                Ok(()) => Err(reason.into()),
            },
        };
        self.solver.pop();
        result
    }
}

/// The inputs that a run consumes, with their values in the model.
pub fn choices(terms: &Terms, model: &Model, inputs: &[Input]) -> Vec<Choice> {
    let mut evaluator = Evaluator::new(terms, model);
    let mut choices = Vec::new();
    for input in inputs {
        if evaluator.is_true(input.guard) == Some(true) {
            let value = input.value.chosen(&mut evaluator);
            choices.push(Choice { value, input: input.clone() });
        }
    }
    choices
}
