//! From the answers of engines and executions to a verdict, which is reported to the listener.

use super::attempts::Attempts;
use super::{Case, Decision, Finder, Question, finder};
use crate::confirm::ConfirmedProof;
use crate::engine::{Answer, Tried};
use crate::executions::{ReplayedViolation, shrink};
use crate::listener::{Conclusion, Ending};
use crate::verdict::{Bug, Contradiction, Reason, Verdict};
use summa_base::Exhausted;
use summa_engines::Task;

impl Case<'_, '_> {
    /// The verdict that follows from an answer. If there is none, the listener gets what was tried.
    pub(super) fn conclude(&self, mut tried: Tried, attempts: &Attempts, task: &Task<'_>) -> Decision {
        let listener = self.question.listener;
        let mut stats = std::mem::take(&mut tried.stats);
        if let (true, Answer::Unknown(reason)) = (self.turn.is_silent(), &tried.answer) {
            return Decision { stats, ..Decision::unknown(Reason::Other(reason.to_string())) };
        }
        listener.answered();
        stats.add(attempts.stats.clone());
        let conclude = |ending| {
            let (features, shared) = (self.question.features.get(), task.shared.counts());
            let conclusion = Conclusion { ending, attempts: &attempts.list, features, shared };
            listener.concluded(self.question.automata, &conclusion);
        };
        let (answer, finder) = finder(tried);
        let decision = match answer {
            Answer::Safe(proof) => {
                conclude(Ending::Decided);
                Decision::of(Verdict::Safe(proof), Some(finder))
            }
            Answer::Violation(violation) => {
                conclude(Ending::Decided);
                self.violated(*violation, finder)
            }
            Answer::Contradicted(both) => {
                conclude(Ending::Decided);
                let (proof, violation) = *both;
                self.contradicted(finder.name, proof, violation)
            }
            Answer::Doubtful(doubtful) => {
                conclude(Ending::Doubtful(&doubtful.why));
                Decision::unknown(Reason::Doubtful(doubtful.why))
            }
            Answer::Unknown(reason) => {
                let bug = match &reason {
                    summa_engines::Reason::Bug(bug) => Some(bug.clone()),
                    _ => attempts.bug(),
                };
                let verdict = match bug {
                    Some(bug) => Verdict::Internal(Bug::Noticed(bug)),
                    None => Verdict::Unknown(self.stopped(reason.clone().into())),
                };
                conclude(Ending::Unknown(&reason.into()));
                Decision::of(verdict, None)
            }
        };
        Decision { stats, ..decision }
    }

    /// The reason for UNKNOWN. If memory ran out, the run was interrupted, or its work was limited, then that
    /// is the reason, and not what followed from it.
    pub(super) fn stopped(&self, reason: Reason) -> Reason {
        let state = self.budget.check_now();
        let text = reason.to_string();
        // Other reasons say more, and are true whenever the run ends.
        let is_end = [Exhausted::Time, Exhausted::Interrupted].iter().any(|end| end.to_string() == text)
            || text.starts_with("the solver ");
        if self.question.settings.is_out_of_memory() {
            Reason::Memory
        } else if state == Err(Exhausted::Interrupted) {
            Reason::Interrupted
        } else if is_end && self.budget.ends().are_reached() {
            Reason::Time
        } else if is_end && state == Err(Exhausted::Time) && self.question.settings.limits_work {
            Reason::Work
        } else {
            reason
        }
    }

    /// FALSE, by a simpler execution if there is one.
    pub(super) fn violated(&self, violation: ReplayedViolation, finder: Finder) -> Decision {
        let Question { automata, property, listener, .. } = *self.question;
        listener.answered();
        let violation = shrink(&automata.cfa, property, violation, self.budget);
        Decision::of(Verdict::Unsafe(Box::new(violation)), Some(finder))
    }

    /// Both a proof and a violation: a bug in Summa, whichever of the two is wrong. No verdict is given,
    /// and both are kept.
    pub(super) fn contradicted(
        &self,
        engine: String,
        proof: ConfirmedProof,
        violation: ReplayedViolation,
    ) -> Decision {
        self.question.listener.answered();
        let both = Contradiction { engine, proof, violation };
        Decision::of(Verdict::Internal(Bug::Contradiction(Box::new(both))), None)
    }
}
