//! Carries out plans of engines, and keeps what is left of those without an answer.

use super::Case;
use crate::engine::{self, Answer, Tried};
use crate::executions::{Effort, execute_only};
use crate::listener::{AttemptResult, Attempted};
use crate::portfolio::{Attempt, DEFAULT_TIME, carry_out};
use crate::strategy::{Stage, Work};
use summa_engines::stats::Stats;
use summa_engines::{Reason, Task};

/// The engines that were tried, and what those without an answer did.
#[derive(Default)]
pub(super) struct Attempts {
    pub(super) list: Vec<Attempted>,
    pub(super) stats: Stats,
}

impl Attempts {
    /// The first bug in Summa that ended one of them.
    pub(super) fn bug(&self) -> Option<String> {
        self.list.iter().find_map(Attempted::bug)
    }
}

impl Attempts {
    /// Did this engine end without an answer before, and not because its time was over? Summaries of ranges
    /// learn nothing from other engines: they would come to the same end.
    pub(super) fn is_imprecise(&self, stage: &Stage) -> bool {
        let is_same = |attempt: &Attempted| {
            attempt.name == stage.name()
                && matches!(attempt.result, AttemptResult::Unknown(Reason::Imprecise { .. }))
        };
        matches!(&stage.work, Work::Engine(config) if config.name == "interval-bam-rec")
            && self.list.iter().any(is_same)
    }
}

impl Case<'_, '_> {
    /// Runs the stages until one has an answer. Returns the last answer.
    pub(super) fn carry_out(
        &self,
        task: &Task<'_>,
        stages: &[Stage],
        so_far: &mut Attempts,
    ) -> Option<Tried> {
        let (property, cells) = (self.question.property, &self.question.cells);
        let automata = self.question.automata;
        let given = self.budget.given().unwrap_or(DEFAULT_TIME);
        let run = |task: &Task<'_>, stage: &Stage| {
            task.board.set_engine(stage.name());
            match &stage.work {
                Work::Engine(config) => engine::with_second_opinion(task, config, property),
                Work::OnCells(config) => match super::cells_of(cells, automata, property) {
                    Ok(cells) => cells.prove(task, config, property),
                    Err(why) => Tried::unknown(why.to_owned(), stage.name()),
                },
                Work::Execution => execute_only(task, property, stage.name()),
                Work::Exploration => {
                    let effort = Effort::of(given.mul_f64(stage.share));
                    engine::explore(task, property, effort, stage.name())
                }
            }
        };
        let is_final = |tried: &Tried| !matches!(tried.answer, Answer::Unknown(_));
        let jobs = self.question.settings.jobs;
        let mut attempts = carry_out(task, stages, jobs, &run, is_final);
        so_far.list.extend(attempts.iter().map(|attempt| attempted(attempt, &stages[attempt.stage])));
        let last = contradiction(&mut attempts).or_else(|| attempts.pop())?;
        for attempt in attempts {
            so_far.stats.add(attempt.answer.stats);
        }
        Some(last.answer)
    }
}

fn attempted(attempt: &Attempt<Tried>, stage: &Stage) -> Attempted {
    let result = match &attempt.answer.answer {
        Answer::Safe(_) => AttemptResult::Proved,
        Answer::Violation(_) => AttemptResult::Violated,
        Answer::Doubtful(doubtful) => AttemptResult::Doubtful(doubtful.why.clone()),
        Answer::Contradicted(_) => AttemptResult::Contradicted,
        Answer::Unknown(reason) => AttemptResult::Unknown(reason.clone()),
    };
    Attempted { name: stage.name(), why: stage.why, time: attempt.time, result }
}

/// A contradiction between engines that ran at once: one proved the program, another one found an error.
fn contradiction(attempts: &mut Vec<Attempt<Tried>>) -> Option<Attempt<Tried>> {
    let has =
        |wanted: fn(&Answer) -> bool| attempts.iter().position(|attempt| wanted(&attempt.answer.answer));
    let proved = has(|answer| matches!(answer, Answer::Safe(_)))?;
    let violated = has(|answer| matches!(answer, Answer::Violation(_)))?;
    let found = attempts.swap_remove(violated);
    // The last one took its place.
    let proved = if proved == attempts.len() { violated } else { proved };
    let proved = attempts.swap_remove(proved);
    let Attempt { stage, answer, time } = proved;
    let both = match (answer.answer, found.answer.answer) {
        (Answer::Safe(proof), Answer::Violation(violation)) => {
            Answer::Contradicted(Box::new((*proof, *violation)))
        }
        (other, _) => other,
    };
    Some(Attempt { stage, answer: Tried { answer: both, ..answer }, time })
}
