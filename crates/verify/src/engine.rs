//! Runs one engine: its error paths are replayed, and its claims are checked.
//!
//! An error counts only when the interpreter reaches it, twice, with the inputs of the model
//! ([`crate::executions`]). A claim counts only when the checker has confirmed its proof
//! ([`crate::confirm`]).

use crate::confirm::{ConfirmedProof, confirm};
use crate::executions::{Doubtful, Effort, ModelInputs, ReplayedViolation, execute, search_guided};
use crate::property::Property;
use std::time::Duration;
use summa_encode::Encoding;
use summa_engines::config::EncodingChoice;
use summa_engines::graph::Graph;
use summa_engines::progress::Progress;
use summa_engines::stats::Stats;
use summa_engines::{Choice, Config, Contract, Outcome, Reason, Task};

/// The second opinion takes at most this.
const SECOND_OPINION_TIME: Duration = Duration::from_secs(1);

/// The answer of an engine.
pub enum Answer {
    Safe(Box<ConfirmedProof>),
    Violation(Box<ReplayedViolation>),
    Doubtful(Box<Doubtful>),
    /// There are both a confirmed proof and an execution that violates the property: a bug.
    Contradicted(Box<(ConfirmedProof, ReplayedViolation)>),
    Unknown(Reason),
}

impl Answer {
    /// Does the answer decide whether the program has the property?
    pub(crate) fn is_sure(&self) -> bool {
        match self {
            Self::Safe(_) | Self::Violation(_) | Self::Contradicted(_) => true,
            Self::Doubtful(_) | Self::Unknown(_) => false,
        }
    }
}

/// The answer with its circumstances, as data that can be sent between threads.
pub struct Tried {
    pub answer: Answer,
    pub progress: Progress,
    pub stats: Stats,
    /// In which arithmetic formulas were written, if the configuration says so.
    pub encoding: Option<Encoding>,
    /// The name of the configuration.
    pub engine: String,
}

impl Tried {
    /// The answer of an engine that was not started.
    pub(crate) fn unknown(why: String, engine: String) -> Self {
        let answer = Answer::Unknown(Reason::GaveUp(why));
        Self { answer, progress: Progress::default(), stats: Stats::default(), encoding: None, engine }
    }
}

/// The answer together with the data that the engine built for it.
pub struct Ran<'t> {
    pub tried: Tried,
    pub graph: Option<Graph<'t>>,
    pub contracts: Vec<Contract>,
}

/// Runs a configuration. Safety shown over integers is asked again over bit-vectors for a moment: a second
/// opinion that can only take the answer back, as a bug in Summa.
pub(crate) fn with_second_opinion(task: &Task<'_>, config: &Config, property: &Property) -> Tried {
    let first = run(task, config, property).tried;
    let Tried { answer: Answer::Safe(proof), .. } = first else { return first };
    let again = |answer| Tried { answer, ..first };
    if config.encoding != EncodingChoice::Int {
        return again(Answer::Safe(proof));
    }
    let time = task.budget.remaining().map_or(SECOND_OPINION_TIME, |left| left.mul_f64(0.25));
    let budget = task.budget.at_most(time.min(SECOND_OPINION_TIME));
    let config = Config { encoding: EncodingChoice::Bitvector, ..config.clone() };
    let second = run(&Task { budget, ..task.clone() }, &config, property).tried;
    again(match second.answer {
        Answer::Violation(violation) => Answer::Contradicted(Box::new((*proof, *violation))),
        _ => Answer::Safe(proof),
    })
}

/// Runs a configuration.
pub fn run<'t>(task: &Task<'t>, config: &Config, property: &Property) -> Ran<'t> {
    let mut replays = Replays { task, property, last: None, doubtful: None };
    let report = summa_engines::run(config, task, &mut |choices| replays.replay(choices));
    let mut stats = report.stats;
    let answer = match report.outcome {
        Outcome::Claimed(claim) => match confirm(task, claim, &mut stats) {
            Ok(proof) => replays.doubt_or(Answer::Safe(Box::new(proof))),
            Err(reason) => replays.doubt_or(Answer::Unknown(reason)),
        },
        Outcome::Error { inputs, .. } => replays.answer(&inputs),
        Outcome::Unknown { reason } => replays.doubt_or(Answer::Unknown(reason)),
    };
    let (encoding, engine) = (encoding_of(config), config.name.clone());
    let tried = Tried { answer, progress: report.progress, stats, encoding, engine };
    Ran { tried, graph: report.graph, contracts: report.contracts }
}

/// The replays of inputs with which an engine expected an error.
struct Replays<'r, 't> {
    task: &'r Task<'t>,
    property: &'r Property,
    /// The last inputs that led to one, so that they need not be executed again.
    last: Option<(ModelInputs, ReplayedViolation)>,
    /// The first violation that supports no verdict.
    doubtful: Option<Doubtful>,
}

impl Replays<'_, '_> {
    /// Do these inputs make the program violate the property?
    fn replay(&mut self, choices: &[Choice]) -> bool {
        let given = ModelInputs::new(self.task.cfa, choices);
        let (task, mut inputs) = (self.task, given.clone());
        let found = execute(task.cfa, self.property, &mut inputs, &task.budget, &task.whole);
        self.doubtful = self.doubtful.take().or(found.doubtful);
        self.last = found.violation.map(|violation| (given, violation));
        self.last.is_some()
    }

    /// The answer of an engine that ended with these inputs.
    fn answer(mut self, choices: &[Choice]) -> Answer {
        let given = ModelInputs::new(self.task.cfa, choices);
        if self.last.as_ref().is_none_or(|(inputs, _)| *inputs != given) {
            self.replay(choices);
        }
        match self.last.take() {
            Some((_, violation)) => Answer::Violation(Box::new(violation)),
            None => {
                let why = "a counterexample did not replay".to_owned();
                self.doubt_or(Answer::Unknown(Reason::GaveUp(why)))
            }
        }
    }

    /// An execution that may be an error is no proof, and says more than that nothing was found.
    fn doubt_or(self, answer: Answer) -> Answer {
        self.doubtful.map_or(answer, |doubtful| Answer::Doubtful(Box::new(doubtful)))
    }
}

/// Carries out executions that continue others.
pub(crate) fn explore(task: &Task<'_>, property: &Property, effort: Effort, name: String) -> Tried {
    let found = search_guided(task.cfa, property, effort, &task.budget);
    let answer = match (found.violation, found.stopped) {
        (Some(violation), _) => Answer::Violation(Box::new(violation)),
        (None, Some(why)) => Answer::Unknown(Reason::Exhausted(why)),
        (None, None) => Answer::Unknown(Reason::GaveUp(format!("no violation in {} executions", found.runs))),
    };
    Tried { answer, ..Tried::unknown(String::new(), name) }
}

/// The arithmetic that a configuration asks for.
pub(crate) fn encoding_of(config: &Config) -> Option<Encoding> {
    match config.encoding {
        EncodingChoice::Auto => None,
        EncodingChoice::Int => Some(Encoding::Int),
        EncodingChoice::Bitvector => Some(Encoding::BitVector),
    }
}
