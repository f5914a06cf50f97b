//! Reports on the terminal what `summa_verify` does, as soon as it is known, and then its answer
//! ([`answer`]).

mod answer;
mod contradiction;
mod words;

use crate::archive::Folder;
use crate::args::Verify;
use crate::console::{Console, count};
use crate::diagnostics::place;
use crate::known::Known;
use crate::process::OutputRight;
pub(crate) use answer::Told;
use std::sync::{Arc, OnceLock};
use summa_cfa::{BuildError, EdgeId};
use summa_engines::progress::Board;
use summa_engines::shared::Counts;
use summa_verify::executions::{Doubtful, Search};
use summa_verify::{AttemptResult, Attempted, Automata, Conclusion, Ending, Listener, Untried};
use words::runs;
pub(crate) use words::{seconded, vacuity};

/// The report about one question.
pub(crate) struct Telling<'t> {
    pub(crate) report: &'t Console,
    pub(crate) options: &'t Verify,
    pub(crate) word: &'t OutputRight,
    pub(crate) known: &'t OnceLock<Known>,
    pub(crate) archive: Option<&'t Folder>,
    /// Called when the automata are built.
    pub(crate) built: &'t dyn Fn(&Automata),
    /// Something that the user should know.
    pub(crate) warn: &'t dyn Fn(String),
}

impl Listener for Telling<'_> {
    fn built(&self, automata: &Automata) {
        (self.built)(automata);
    }

    fn not_built(&self, untried: Untried, why: &BuildError) {
        let why = crate::front_end::reason_of(why);
        (self.warn)(match untried {
            Untried::MembersMerged => format!("it was not tried with members taken for one: {why}"),
            Untried::ShiftsPassed => format!("no other overflow was looked for: {why}"),
        });
    }

    fn engine_begins(&self) {
        self.report.line("");
    }

    fn engines_begin(&self, automata: &Automata, board: &Arc<Board>) {
        self.known.get_or_init(|| Known::new(board.clone(), automata));
    }

    fn no_engine(&self, property: &str) {
        self.report.line(format_args!("No engine decides {property} yet: it is only tested by executions."));
    }

    fn executions_end(&self) {
        self.report.line("");
    }

    fn no_violation(&self, searched: &Search) {
        let runs = runs(searched);
        self.report.line(format_args!("No violation in {runs} with zero, small and random inputs."));
    }

    fn no_violation_in_only_execution(&self) {
        self.report.line("The program takes no inputs, and its execution violates nothing.");
    }

    fn doubtful(&self, automata: &Automata, doubtful: &Doubtful, searched: &Search) {
        let Doubtful { violation, why } = doubtful;
        let what = format!("{} (perhaps)", violation.what);
        let span = automata.cfa.edge(violation.edge).span;
        self.report.snippet(&automata.sources, span, &what, "here, in one execution");
        self.report.line(format_args!("This is no verdict, because {why}."));
        self.report.line(format_args!("Tried: {} with zero, small and random inputs.", runs(searched)));
    }

    fn unsupported(&self, automata: &Automata, what: &str, edge: EdgeId) {
        let span = automata.cfa.edge(edge).span;
        let title = format!("not supported: {what}");
        self.report.snippet(&automata.sources, span, &title, "an execution gets here");
    }

    fn answered(&self) {
        self.word.take();
    }

    fn concluded(&self, automata: &Automata, conclusion: &Conclusion<'_>) {
        let Conclusion { ending, attempts, .. } = conclusion;
        let report = self.report;
        for note in self.archive.iter().flat_map(|folder| folder.notes()) {
            report.line(format_args!("Note:        {note}"));
        }
        if self.options.explain {
            self.plan(automata, conclusion);
        }
        let is_unknown = matches!(ending, Ending::Unknown(_));
        if self.options.explain || attempts.len() > 1 && is_unknown {
            for attempt in *attempts {
                report.line(format_args!("Tried:       {}", describe(automata, attempt)));
            }
        }
        if !is_unknown {
            // Reported although another engine had an answer.
            let bugs = attempts.iter().filter_map(Attempted::bug);
            bugs.for_each(|bug| report.error(&format!("internal error: {bug}")));
        }
        match ending {
            Ending::Decided => {}
            Ending::Doubtful(why) => {
                report.line(format_args!("A violation was found, but this is no verdict, because {why}."));
            }
            Ending::Unknown(_) => {
                self.known.get().inspect(|known| known.tell(report));
            }
        }
    }
}

impl Telling<'_> {
    /// The features for which the plan was made, and what engines shared with each other.
    fn plan(&self, automata: &Automata, conclusion: &Conclusion<'_>) {
        if let Some(features) = conclusion.features {
            self.report.line(format_args!("Program has: {}", features.describe(&automata.cfa)));
        }
        let told = conclusion.shared;
        if told != Counts::default() {
            let intervals = count(told.analyses, "interval result");
            let predicates = count(told.predicates, "predicate");
            let summaries = count(told.summaries, "contract");
            self.report.line(format_args!(
                "Shared:      {intervals}, {predicates} and {summaries}, from engine to engine"
            ));
        }
    }
}

/// An attempt in a line: what, why, how long, what came of it.
fn describe(automata: &Automata, attempt: &Attempted) -> String {
    let outcome = match &attempt.result {
        AttemptResult::Proved => "no error is reachable".to_owned(),
        AttemptResult::Violated => "an error is reached".to_owned(),
        AttemptResult::Doubtful(why) => format!("an error, perhaps: {why}"),
        AttemptResult::Contradicted => "no error is reachable, and an error is reached".to_owned(),
        AttemptResult::Unknown(reason) => {
            let at = reason.edge().map(|edge| place(&automata.sources, automata.cfa.edge(edge).span));
            let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
            format!("not decided: {reason}{at}")
        }
    };
    format!("{} ({:.1} s; {}): {outcome}", attempt.name, attempt.time.as_secs_f64(), attempt.why)
}
