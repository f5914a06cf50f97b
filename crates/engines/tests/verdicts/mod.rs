//! What an engine says of a program, with its proof checked and its error replayed, and what is wrong with
//! that.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_engines::{Choice, Claim, Config, Outcome, Task, run};
use summa_facts::Analyses;
use summa_proof::check_and_trim;
use summa_testkit::{Truth, replays};

/// For the check of a proof at least.
const CHECKING: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    True,
    False,
    /// An error that the interpreter does not reach with the inputs that came with it.
    FalseWithoutReplay,
    Unknown(String),
    /// Safe, with a proof that is refused.
    Unproved(String),
    Panic,
}

pub(crate) fn verdict(config: &Config, cfa: &Cfa, facts: &Analyses, time: Duration) -> Verdict {
    let replay = |choices: &[Choice]| replays(cfa, choices.iter().map(|c| (&c.input, c.value.as_ref())));
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    let task = Task::new(cfa, facts, Budget::with_time(time), &is_error);
    let answer = catch_unwind(AssertUnwindSafe(|| {
        let report = run(config, &task, &mut |choices| replay(choices));
        match report.outcome {
            Outcome::Claimed(Claim { proof: Ok(mut proof), .. }) => {
                let budget = Budget::with_time(CHECKING.max(time));
                match check_and_trim(cfa, facts, &is_error, &mut proof, (&budget, None), &|_| false) {
                    Ok(_) => Err(Verdict::True),
                    Err(refusal) if refusal.is_wrong() => Err(Verdict::Unproved(refusal.to_string())),
                    Err(refusal) => Err(Verdict::Unknown(refusal.to_string())),
                }
            }
            Outcome::Claimed(Claim { proof: Err(why), .. }) => Err(Verdict::Unknown(why)),
            other => Ok(other),
        }
    }));
    let outcome = match answer {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(verdict)) => return verdict,
        Err(_) => return Verdict::Panic,
    };
    match outcome {
        Outcome::Claimed(_) => Verdict::Unproved("no proof".to_owned()),
        Outcome::Error { inputs, .. } if replay(&inputs) => Verdict::False,
        Outcome::Error { .. } => Verdict::FalseWithoutReplay,
        Outcome::Unknown { reason } => Verdict::Unknown(reason.to_string()),
    }
}

/// What is wrong with a verdict, if something is.
pub(crate) fn complaint(verdict: &Verdict, truth: Truth) -> Option<&'static str> {
    match (verdict, truth) {
        (Verdict::True, Truth::Error) => Some("says TRUE, but an error is reachable"),
        (Verdict::False, Truth::Safe) => Some("says FALSE, but no error is reachable"),
        (Verdict::FalseWithoutReplay, _) => Some("says FALSE without a replay"),
        (Verdict::Panic, _) => Some("panics"),
        _ => None,
    }
}
