//! The precise check of an abstract error path: is there an execution along it?
//!
//! The path is written as one formula from the start of the program. A model of it gives the inputs, and the
//! program is run with them. Only a run that violates the property makes an error. If a model does not
//! replay, the formula is not exact: the caller then tries the other encoding, and never gives a verdict.

use crate::task::{Choice, Reason, Replay, Task};
use summa_cfa::EdgeId;
use summa_cpa::{Move, Step};
use summa_encode::PathId;
use summa_logic::Workbench;
use summa_smt::{Model, Statistics};
use summa_term::Terms;

/// The result of checking a path.
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
    logic: Workbench<'t>,
}

impl<'t> PathChecker<'t> {
    pub fn new(task: &Task<'t>) -> Result<Self, Reason> {
        Ok(Self { task: task.clone(), logic: task.workbench(false)? })
    }

    pub fn statistics(&self) -> Statistics {
        self.logic.statistics()
    }

    /// Is there an execution along these moves, which begin at the start of the program and end with the
    /// error at `edge`?
    pub fn check(&mut self, moves: &[Move], edge: EdgeId, replay: &mut Replay<'_>) -> Feasibility {
        let path = match self.follow(moves) {
            Ok(path) => path,
            Err(reason) => return Feasibility::Undecided(reason),
        };
        match self.model_of(path) {
            Ok(None) => Feasibility::Infeasible,
            Ok(Some(model)) => {
                let inputs = self.logic.paths.inputs(path);
                let chosen = self.logic.chosen(&model, inputs).into_iter();
                let choices: Vec<Choice> = chosen.map(|(input, value)| Choice { input, value }).collect();
                if replay(&choices) {
                    return Feasibility::Replayed(choices);
                }
                let what = self
                    .logic
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

    /// Can an execution follow these moves at all? `None` if the solver has no answer.
    pub fn is_feasible(&mut self, moves: &[Move]) -> Option<bool> {
        let path = self.follow(moves).ok()?;
        Some(self.model_of(path).ok()?.is_some())
    }

    fn follow(&mut self, moves: &[Move]) -> Result<PathId, Reason> {
        let mut path = self.logic.paths.program_start();
        for by in moves {
            self.task.budget.check()?;
            path = match by.step {
                Step::Edge(edge) => self.logic.paths.edge(path, edge),
                Step::Enter(call) => self.logic.paths.enter(path, call),
                Step::Leave(call) => self.logic.paths.leave(path, call).map_err(|unsupported| {
                    Reason::Unsupported { what: unsupported.to_string(), edge: Some(unsupported.edge) }
                })?,
            };
            if self.logic.paths.guard(path) == Terms::FALSE {
                break;
            }
        }
        Ok(path)
    }

    /// A model of the path, if there is one.
    fn model_of(&mut self, path: PathId) -> Result<Option<Model>, Reason> {
        let mut formula = self.logic.paths.facts(path);
        formula.push(self.logic.paths.guard(path));
        Ok(self.logic.find_model(&formula)?)
    }
}
