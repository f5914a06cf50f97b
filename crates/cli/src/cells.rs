//! Proofs on the program with cells instead of arrays (`summa_transform::cells`). Only safety comes back from there: an error of that
//! program is no error of the program, and is never shown.

use crate::confirm::confirm_proof;
use crate::property::Property;
use crate::symbolic::{Answer, Tried, counts, encoding_of};
use summa_cfa::{Cfa, EdgeId};
use summa_engines::{Config, Outcome, Reason, Task};
use summa_facts::Analyses;
use summa_transform::cells::abstract_arrays;

/// The other program, with what is known about it.
pub(crate) struct Cells {
    cfa: Cfa,
    facts: Analyses,
}

impl Cells {
    /// The program of the task with cells, or why there is none.
    pub(crate) fn new(task: &Task<'_>, property: &Property) -> Result<Self, String> {
        let made = abstract_arrays(task.cfa, task.facts, &|kind| property.is_violated_by(kind));
        let cfa = made.map_err(|error| error.to_string())?;
        let cfa = cfa.ok_or("no array of the program can be replaced by cells")?;
        let facts = Analyses::new(&cfa);
        Ok(Self { cfa, facts })
    }

    /// Runs a configuration; the answer is that the program is safe, or unknown.
    pub(crate) fn prove(&self, task: &Task<'_>, config: &Config, property: &Property) -> Tried {
        let is_error = |edge: EdgeId| counts(&self.cfa, property, edge);
        let other = Task::new(&self.cfa, &self.facts, task.budget.clone(), &is_error);
        let second_solver = task.second_solver.clone();
        let other = Task { measure: task.measure, whole: task.whole.clone(), second_solver, ..other };
        // Whether an error of this program replays is of no interest: it ends the attempt.
        let mut report = summa_engines::run(config, &other, &mut |_| true);
        let confirmed = confirm_proof(&other, &mut report);
        let answer = match &report.outcome {
            Outcome::Safe => Answer::Safe,
            Outcome::Error { .. } => {
                Answer::Unknown(Reason::GaveUp("cells know too little about the arrays".to_owned()))
            }
            // Reasons name edges of the other program.
            Outcome::Unknown { reason: Reason::Exhausted(why) } => Answer::Unknown(Reason::Exhausted(*why)),
            Outcome::Unknown { reason: bug @ Reason::Bug(_) } => Answer::Unknown(bug.clone()),
            Outcome::Unknown { reason } => Answer::Unknown(Reason::GaveUp(reason.to_string())),
        };
        let (encoding, engine) = (encoding_of(config), config.name.clone());
        // The proof is about the other program.
        Tried {
            answer,
            progress: report.progress,
            stats: report.stats,
            encoding,
            engine,
            confirmed,
            proof: None,
        }
    }

    pub(crate) fn into_cfa(self) -> Cfa {
        self.cfa
    }
}
