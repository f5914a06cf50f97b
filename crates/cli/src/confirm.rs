//! Before a program is called safe, its proof is checked: every step again, with fresh queries.

use std::time::Instant;
use summa_base::Budget;
use summa_engines::{Outcome, Reason, Report, Task};
use summa_proof::{Confirmed, Refusal, check_and_trim};

/// The part of the time that is left of the whole run which a check may take, if the engine's own time is not more.
const SHARE: f64 = 0.5;

/// What is left of the engine's time, and more if there is more: others may need longer to find a proof than this one to be checked.
fn time_for_check(task: &Task<'_>) -> Budget {
    let whole = match (task.whole.remaining(), task.budget.remaining()) {
        (Some(whole), Some(own)) => task.whole.at_most(own.max(whole.mul_f64(SHARE))),
        _ => task.whole.clone(),
    };
    whole.stopped_by(&task.budget.interrupt())
}

/// Checks the proof of an engine that says that the program is safe. If it is not confirmed, the engine has said nothing.
pub(crate) fn confirm_proof(task: &Task<'_>, report: &mut Report<'_>) -> Option<Confirmed> {
    if !matches!(report.outcome, Outcome::Safe) {
        return None;
    }
    task.board.set_phase("checking the proof");
    let started = Instant::now();
    let answer = match &mut report.proof {
        Some(Ok(proof)) => {
            let (budget, contents) = (time_for_check(task), &report.contents);
            let is_known = |procedure| contents.is_known(procedure);
            let means = (&budget, task.second_solver.as_ref());
            let answer = check_and_trim(task.cfa, task.facts, task.is_error, proof, means, &is_known);
            if let Some(archive) = task.archive.filter(|_| answer.is_ok()) {
                contents.confirmed(proof, archive);
            }
            let counts = &mut report.stats.counts;
            counts.push(("Proof formulas".to_owned(), proof.size() as u64));
            counts.push(("Proof check (us)".to_owned(), started.elapsed().as_micros() as u64));
            answer.map_err(|refusal| match refusal {
                Refusal::Exhausted(exhausted) => {
                    Reason::GaveUp(format!("proved, but the proof was not checked: {exhausted}"))
                }
                wrong if wrong.is_wrong() => {
                    Reason::Bug(format!("proved, but the proof is wrong, which is a bug of Summa's: {wrong}"))
                }
                other => Reason::GaveUp(format!("proved, but the proof was not confirmed: {other}")),
            })
        }
        Some(Err(reason)) => {
            Err(Reason::GaveUp(format!("proved, but the proof cannot be written down: {reason}")))
        }
        None => Err(Reason::GaveUp("proved, but there is no proof to be checked".to_owned())),
    };
    match answer {
        Ok(confirmed) => {
            report.stats.counts.push(("Proof steps".to_owned(), confirmed.steps));
            report.stats.counts.push(("Proof queries".to_owned(), confirmed.queries));
            report.stats.counts.push(("Contracts known".to_owned(), confirmed.known));
            if task.second_solver.is_some() {
                report.stats.counts.push(("Queries of the second solver".to_owned(), confirmed.seconded));
            }
            Some(confirmed)
        }
        Err(why) => {
            report.outcome = Outcome::unknown(why);
            None
        }
    }
}
