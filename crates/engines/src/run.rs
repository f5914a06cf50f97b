//! The one entry to engines: a configuration and a task in, an answer out.
//!
//! With the automatic choice of an encoding both arithmetics get their turn, in the order of
//! [`crate::encoding_choice`]. The second one is tried if the first ended without an answer for a reason that
//! may not apply to the other: a model that did not replay (what was approximated is exact over bit-vectors),
//! a construct or question that it does not support, or the end of its share of the time. A proof over
//! integers holds, because approximations only allow more.

use crate::assemble::assemble;
use crate::config::{Algorithm, Config, EncodingChoice, InvariantSource};
use crate::encoding_choice::choose;
use crate::explore::explore;
use crate::k_induction;
use crate::summarise::summarise;
use crate::task::{Outcome, Reason, Replay, Report, Task};
use summa_base::Exhausted;
use summa_encode::Encoding;

/// The part of the time that is left which the first encoding gets.
const FIRST_SHARE: f64 = 0.7;

/// The part of it that a run gets which stores or loads summaries.
const STORING_SHARE: f64 = 0.4;

/// Runs a configuration. `replay` is asked whether inputs make the program violate the property; no error is
/// reported that it does not confirm.
pub fn run<'t>(config: &Config, task: &Task<'t>, replay: &mut Replay<'_>) -> Report<'t> {
    match config.encoding {
        EncodingChoice::Int => run_in(config, &task.in_encoding(Encoding::Int), replay),
        EncodingChoice::Bitvector => run_in(config, &task.in_encoding(Encoding::BitVector), replay),
        // Error paths are checked in both encodings, and nothing else depends on them: see `explore`.
        EncodingChoice::Auto if !config.uses_formulas() => run_in(config, task, replay),
        EncodingChoice::Auto => {
            let [first, second] = choose(task.cfa, task.facts).order();
            let mut limited = task.in_encoding(first);
            if let Some(left) = task.budget.remaining() {
                limited.budget = task.budget.at_most(left.mul_f64(FIRST_SHARE));
            }
            let report = run_in(config, &limited, replay);
            if !is_worth_another(&report.outcome, task) {
                return report;
            }
            let mut again = run_in(config, &task.in_encoding(second), replay);
            let mut stats = report.stats;
            stats.add(std::mem::take(&mut again.stats));
            again.stats = stats;
            if let (Outcome::Unknown { reason: one }, Outcome::Unknown { reason: two }) =
                (&report.outcome, &again.outcome)
            {
                again.outcome = Outcome::unknown(telling(one, two));
            }
            again
        }
    }
}

/// May the other encoding do better?
fn is_worth_another(outcome: &Outcome, task: &Task<'_>) -> bool {
    match outcome {
        Outcome::Claimed(_) | Outcome::Error { .. } => false,
        Outcome::Unknown { reason: Reason::Exhausted(Exhausted::Interrupted) | Reason::Imprecise { .. } } => {
            false
        }
        Outcome::Unknown { .. } => task.budget.check_now().is_ok(),
    }
}

/// The more informative one of two reasons: the end of the time says least.
fn telling(first: &Reason, second: &Reason) -> Reason {
    match (first, second) {
        (_, Reason::Exhausted(_)) if !matches!(first, Reason::GaveUp(_)) => first.clone(),
        _ => second.clone(),
    }
}

fn run_in<'t>(config: &Config, task: &Task<'t>, replay: &mut Replay<'_>) -> Report<'t> {
    let Some(archive) = task.archive.filter(|_| config.bam.is_some() && config.uses_formulas()) else {
        return run_once(config, task, replay);
    };
    // Summaries for other runs are made without invariants of the whole program, but some proofs need these.
    let mut limited = task.clone();
    if let Some(left) = task.budget.remaining() {
        limited.budget = task.budget.at_most(left.mul_f64(STORING_SHARE));
    }
    let report = run_once(config, &limited, replay);
    if !matches!(report.outcome, Outcome::Unknown { .. }) || task.budget.check_now().is_err() {
        return report;
    }
    let again = run_once(config, &Task { archive: None, ..task.clone() }, replay);
    if !matches!(again.outcome, Outcome::Unknown { .. }) {
        archive.note("decided without stored summaries, by invariants of the whole program".to_owned());
    }
    again
}

fn run_once<'t>(config: &Config, task: &Task<'t>, replay: &mut Replay<'_>) -> Report<'t> {
    match config.algorithm {
        Algorithm::Reachability | Algorithm::Cegar => match assemble(config, task) {
            Ok(assembly) => match &config.bam {
                Some(bam) => summarise(config, bam, task, assembly, replay),
                None => explore(config, task, assembly, replay),
            },
            Err(reason) => Report::new(Outcome::unknown(reason), task),
        },
        Algorithm::Bmc => {
            let bounds = config.loop_bound.clone().unwrap_or_default();
            k_induction::run(task, k_induction::Settings::bmc(bounds.start, bounds.max), replay)
        }
        Algorithm::KInduction => {
            let bounds = config.loop_bound.clone().unwrap_or_default();
            let induction = config.k_induction.clone().unwrap_or_default();
            let settings = k_induction::Settings {
                start: bounds.start,
                max: bounds.max,
                step: true,
                invariants: induction.invariants != InvariantSource::None,
                lemmas: induction.invariants == InvariantSource::Lemmas,
            };
            k_induction::run(task, settings, replay)
        }
    }
}
