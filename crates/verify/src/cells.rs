//! Proofs on the program with cells instead of arrays (`summa_transform::cells`). Only safety comes back from
//! there, with its proof. An error of that program is no error of the given program, and is never shown.

use crate::automata::Automata;
use crate::confirm::confirm;
use crate::engine::{Answer, Tried, encoding_of};
use crate::property::Property;
use std::sync::Arc;
use summa_cfa::{Cfa, EdgeId};
use summa_engines::shared::Shared;
use summa_engines::stats::Stats;
use summa_engines::{Config, Outcome, Reason, Task};
use summa_facts::Analyses;
use summa_transform::{Transformation, Transformed};

/// The other program, with what is known about it.
pub struct CellProgram {
    made: Arc<Transformed>,
    facts: Analyses,
    /// Results that engines share about it.
    shared: Arc<Shared>,
}

impl CellProgram {
    /// The program with cells.
    ///
    /// # Errors
    /// Why there is none.
    pub fn new(cfa: &Cfa, facts: &Analyses, property: &Property) -> Result<Self, String> {
        let cells = Transformation::cells(cfa, &|kind| property.is_violated_by(kind));
        let made = Arc::new(cells.apply(cfa, facts)?);
        let facts = Analyses::new(&made.cfa);
        Ok(Self { made, facts, shared: Arc::default() })
    }

    /// Runs a configuration on it; the answer is that the program is safe, or unknown.
    pub(crate) fn prove(&self, task: &Task<'_>, config: &Config, property: &Property) -> Tried {
        let is_error = |edge: EdgeId| property.is_violated_at(&self.made.cfa, edge);
        let other = Task::new(&self.made.cfa, &self.facts, task.budget.clone(), &is_error);
        let other = Task {
            measure: task.measure,
            whole: task.whole.clone(),
            second_solver: task.second_solver.clone(),
            shared: self.shared.clone(),
            ..other
        };
        // Whether an error of this program replays is of no interest: it ends the attempt.
        let report = summa_engines::run(config, &other, &mut |_| true);
        let mut stats = report.stats;
        let answer = self.answer(&other, report.outcome, &mut stats);
        let (encoding, engine) = (encoding_of(config), config.name.clone());
        Tried { answer, progress: report.progress, stats, encoding, engine }
    }

    /// The answer about the given program that follows from an answer about this one.
    fn answer(&self, task: &Task<'_>, outcome: Outcome, stats: &mut Stats) -> Answer {
        let reason = match outcome {
            Outcome::Claimed(claim) => match confirm(task, claim, stats) {
                Ok(proof) => return Answer::Safe(Box::new(proof.about(self.made.clone()))),
                Err(reason) => reason,
            },
            Outcome::Error { .. } => Reason::GaveUp("cells know too little about the arrays".to_owned()),
            Outcome::Unknown { reason } => reason,
        };
        Answer::Unknown(match reason {
            Reason::Exhausted(_) | Reason::Bug(_) => reason,
            // Reasons name edges of the other program.
            other => Reason::GaveUp(other.to_string()),
        })
    }
}

/// The automata with cells instead of arrays, for people: with the sources of those that they were made from.
///
/// # Errors
/// Why there are none.
pub fn with_cells(of: &Automata, property: &Property) -> Result<Automata, String> {
    let cells = Transformation::cells(&of.cfa, &|kind| property.is_violated_by(kind));
    let made = cells.apply(&of.cfa, of.facts())?;
    Ok(Automata::new(made.cfa, of.sources.clone(), of.warnings.clone(), of.wraps))
}
