//! Proofs on the program with cells instead of arrays (`summa_transform::cells`). Only safety comes back from
//! there, with its proof: an error of that program is no error of the program, and is never shown.

use crate::confirm::confirm_proof;
use crate::property::Property;
use crate::symbolic::{Answer, Tried, counts, encoding_of};
use std::sync::Arc;
use summa_cfa::EdgeId;
use summa_engines::{Config, Outcome, Reason, Task};
use summa_facts::Analyses;
use summa_proof::Certificate;
use summa_transform::{Transformation, Transformed};

/// The other program, with what is known about it.
pub(crate) struct Cells {
    made: Arc<Transformed>,
    facts: Analyses,
}

impl Cells {
    /// The program of the task with cells, or why there is none.
    pub(crate) fn new(task: &Task<'_>, property: &Property) -> Result<Self, String> {
        let cells = Transformation::cells(task.cfa, &|kind| property.is_violated_by(kind));
        let made = cells.apply(task.cfa, task.facts)?;
        let facts = Analyses::new(&made.cfa);
        Ok(Self { made: Arc::new(made), facts })
    }

    /// Runs a configuration; the answer is that the program is safe, or unknown.
    pub(crate) fn prove(&self, task: &Task<'_>, config: &Config, property: &Property) -> Tried {
        let is_error = |edge: EdgeId| counts(&self.made.cfa, property, edge);
        let other = Task::new(&self.made.cfa, &self.facts, task.budget.clone(), &is_error);
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
        let about = Some(self.made.clone());
        let proof = report.proof.and_then(Result::ok).map(|proof| Certificate { proof, about });
        Tried { answer, progress: report.progress, stats: report.stats, encoding, engine, confirmed, proof }
    }
}
