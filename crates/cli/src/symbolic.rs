//! Symbolic engines as configurations, with answers judged by the property.
//!
//! A candidate is an error only when the interpreter reaches it with the inputs of the model.

use crate::bug_finder::{Effort, Violation, confirm, search_guided};
use crate::confirm::confirm_proof;
use crate::property::Property;
use std::collections::VecDeque;
use std::time::Duration;
use summa_c::tree::VarId;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_encode::{Encoding, InputSource as Source};
use summa_engines::config::EncodingChoice;
use summa_engines::progress::Progress;
use summa_engines::stats::Stats;
use summa_engines::{Choice, Config, Outcome, Reason, Report, Task};
use summa_interp::{
    InitialPart, InitialValues, InputOrigin, InputRequest, InputSource, InputValue, Scalar, Zeros,
};
use summa_proof::{Certificate, Confirmed};
use summa_term::{ArrayValue, Value};

/// The second opinion takes at most this.
const SECOND_OPINION_TIME: Duration = Duration::from_secs(1);

/// What an engine came to.
pub(crate) enum Answer {
    Safe,
    Violation(Box<Violation>),
    /// A violation that supports no verdict, and why.
    Doubtful(Box<(Violation, String)>),
    /// There is a proof that the checker has confirmed, and an execution that violates the property.
    Contradicted(Box<Violation>),
    Unknown(Reason),
}

/// The answer, judged by the property, with what the engine says around it.
pub(crate) struct Ran<'t> {
    pub(crate) answer: Answer,
    pub(crate) report: Report<'t>,
    /// In which arithmetic the last formulas were written, if that was for us to say.
    pub(crate) encoding: Option<Encoding>,
    /// The name of the configuration.
    pub(crate) engine: String,
    /// Of a safe program: what it took to check the proof.
    pub(crate) confirmed: Option<Confirmed>,
}

/// An answer without its graph: it goes from thread to thread.
pub(crate) struct Tried {
    pub(crate) answer: Answer,
    pub(crate) progress: Progress,
    pub(crate) stats: Stats,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) engine: String,
    pub(crate) confirmed: Option<Confirmed>,
    /// Of a safe program, for others to check.
    pub(crate) proof: Option<Certificate>,
}

impl Tried {
    /// Of an engine that was not started.
    pub(crate) fn unknown(why: String, engine: String) -> Self {
        let answer = Answer::Unknown(Reason::GaveUp(why));
        Self {
            answer,
            progress: Progress::default(),
            stats: Stats::default(),
            encoding: None,
            engine,
            confirmed: None,
            proof: None,
        }
    }
}

impl Ran<'_> {
    pub(crate) fn into_tried(self) -> Tried {
        let Self { answer, report, encoding, engine, confirmed } = self;
        let proof = report.proof.and_then(Result::ok).map(Certificate::from);
        Tried { answer, progress: report.progress, stats: report.stats, encoding, engine, confirmed, proof }
    }
}

/// Runs a configuration. Safety shown over integers is asked again over bit-vectors for a moment: a second opinion that can only
/// take the answer back, as a bug of Summa's.
pub(crate) fn with_second_opinion(task: &Task<'_>, config: &Config, property: &Property) -> Tried {
    let ran = run(task, config, property).into_tried();
    if config.encoding != EncodingChoice::Int || !matches!(ran.answer, Answer::Safe) {
        return ran;
    }
    let time = task.budget.remaining().map_or(SECOND_OPINION_TIME, |left| left.mul_f64(0.25));
    let budget = task.budget.at_most(time.min(SECOND_OPINION_TIME));
    let config = Config { encoding: EncodingChoice::Bitvector, ..config.clone() };
    let second = run(&Task { budget, ..task.clone() }, &config, property).into_tried();
    match second.answer {
        Answer::Violation(violation) => Tried { answer: Answer::Contradicted(violation), ..ran },
        _ => ran,
    }
}

/// Runs a configuration.
pub(crate) fn run<'t>(task: &Task<'t>, config: &Config, property: &Property) -> Ran<'t> {
    let (mut violation, mut doubtful) = (None, None);
    let mut replay = |choices: &[Choice]| {
        let mut inputs = Replay::new(task.cfa, choices);
        let found = confirm(task.cfa, property, &mut inputs, &task.budget, &task.whole);
        violation = found.violation;
        doubtful = doubtful.take().or(found.doubtful);
        violation.is_some()
    };
    let mut report = summa_engines::run(config, task, &mut replay);
    let confirmed = confirm_proof(task, &mut report);
    let answer = match (&report.outcome, violation, doubtful) {
        (Outcome::Error { .. }, Some(violation), _) => Answer::Violation(Box::new(violation)),
        // Also where the engine went on and found nothing: an execution that may be one is no proof.
        (_, _, Some(doubtful)) => Answer::Doubtful(Box::new(doubtful)),
        (Outcome::Error { .. }, None, None) => {
            Answer::Unknown(Reason::GaveUp("a counterexample did not replay".to_owned()))
        }
        (Outcome::Unknown { reason }, ..) => Answer::Unknown(reason.clone()),
        (Outcome::Safe, ..) => Answer::Safe,
    };
    Ran { answer, report, encoding: encoding_of(config), engine: config.name.clone(), confirmed }
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

/// Carries out the only execution of a program without inputs.
pub(crate) fn execute(task: &Task<'_>, property: &Property, name: String) -> Tried {
    let mut found = confirm(task.cfa, property, &mut Zeros, &task.budget, &task.whole);
    let answer = match (found.violation.take(), found.doubtful.take()) {
        (Some(violation), _) => Answer::Violation(Box::new(violation)),
        (None, Some(doubtful)) => Answer::Doubtful(Box::new(doubtful)),
        (None, None) if found.is_repeated_proof(task.cfa, property, &task.whole) => Answer::Safe,
        (None, None) => match found.stopped {
            Some(why) => Answer::Unknown(Reason::Exhausted(why)),
            None => Answer::Unknown(Reason::GaveUp("it violates nothing, but is no proof".to_owned())),
        },
    };
    let is_safe = matches!(answer, Answer::Safe);
    let confirmed = is_safe.then_some(Confirmed { steps: found.steps, ..Confirmed::default() });
    Tried { answer, confirmed, ..Tried::unknown(String::new(), name) }
}

/// The arithmetic that a configuration asks for.
pub(crate) fn encoding_of(config: &Config) -> Option<Encoding> {
    match config.encoding {
        EncodingChoice::Auto => None,
        EncodingChoice::Int => Some(Encoding::Int),
        EncodingChoice::Bitvector => Some(Encoding::BitVector),
    }
}

/// Properties that are reachability of something in the automata.
pub(crate) fn is_for_engines(property: &Property) -> bool {
    property.is_reachability()
}

/// Does reaching this error edge violate the property?
pub(crate) fn counts(cfa: &Cfa, property: &Property, edge: EdgeId) -> bool {
    matches!(cfa.edges[edge].op, Op::Error { kind } if property.is_violated_by(kind))
}

/// The inputs of a model, in the order in which the run asks for them, and what variables hold before they are written.
/// Other memory that is read without having been written is zero: its order of asking is not that of the formulas.
#[derive(Default)]
struct Replay {
    values: VecDeque<InputValue>,
    initial: InitialValues,
}

impl Replay {
    fn new(cfa: &Cfa, choices: &[Choice]) -> Self {
        let mut replay = Self::default();
        for choice in choices {
            let value = input_value(choice.value.as_ref());
            match choice.input.source {
                Source::Contents { var, offset } => {
                    let types = &cfa.program.types;
                    let Some(scalar) = Scalar::of(types, choice.input.ty) else { continue };
                    match &choice.value {
                        Some(Value::Array(array)) => {
                            let size = types.size_of(cfa.program.vars[var].ty).unwrap_or(0);
                            replay.initial.push_array(var, size, scalar, |at| element(array, at));
                        }
                        _ => replay.initial.push_part(var, InitialPart { offset, scalar, value }),
                    }
                }
                Source::Uninitialised(var) => replay.initial.push(var, value),
                Source::Havoc(_) | Source::External => replay.values.push_back(value),
            }
        }
        replay
    }
}

impl InputSource for Replay {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        match request.origin {
            InputOrigin::Havoc(_) | InputOrigin::External(_) => {
                Some(self.values.pop_front().unwrap_or(InputValue::Int(0)))
            }
            InputOrigin::Uninitialised => Some(InputValue::Int(0)),
        }
    }

    fn knows_initial(&self) -> bool {
        !self.initial.is_empty()
    }

    fn initial(&mut self, var: VarId, _: Scalar) -> Option<InputValue> {
        self.initial.take(var)
    }

    fn contents(&mut self, var: VarId) -> Option<Vec<InitialPart>> {
        self.initial.take_contents(var)
    }
}

/// The element of an array at an offset.
fn element(array: &ArrayValue, offset: u64) -> InputValue {
    // Offsets are integers, or bit-vectors of some width.
    let is_there = |index: &Value| match index {
        Value::Int(number) => u64::try_from(number) == Ok(offset),
        Value::Bv(_, bits) => *bits == u128::from(offset),
        _ => false,
    };
    let found = array.entries().find(|(index, _)| is_there(index));
    input_value(Some(found.map_or(array.default_value(), |(_, value)| value)))
}

fn input_value(value: Option<&Value>) -> InputValue {
    match value {
        Some(Value::Int(number)) => InputValue::Int(i128::try_from(number).unwrap_or(0)),
        // The request's type reads the bits with its own sign.
        Some(Value::Bv(_, bits)) => InputValue::Int(*bits as i128),
        Some(Value::Float(_, bits)) => InputValue::Bits(*bits),
        Some(Value::Bool(truth)) => InputValue::Int(i128::from(*truth)),
        Some(Value::Array(_)) | None => InputValue::Int(0),
    }
}
