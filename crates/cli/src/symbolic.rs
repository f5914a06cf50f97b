//! The symbolic engine for reachability: bounded model checking, first over integers, then over bit-vectors.
//!
//! A candidate is an error only when the interpreter reaches it with the inputs of the model. Safety shown over integers is
//! asked again over bit-vectors, with the time that is left: a second opinion that can only take the answer back.

use crate::bug_finder::{Search, Violation, confirm};
use crate::property::Property;
use std::collections::VecDeque;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::analysis::Analyses;
use summa_cfa::{Cfa, EdgeId, ErrorKind, Op};
use summa_encode::{Encoding, InputSource as Source};
use summa_engines::bmc::{self, Choice, Outcome, Task};
use summa_interp::{InputOrigin, InputRequest, InputSource, InputValue};
use summa_smt::{Family, Z3Solver};
use summa_term::Value;

/// One question to the solver takes at most this.
const QUERY_TIME: Duration = Duration::from_secs(60);
/// The second opinion takes at most this.
const SECOND_OPINION_TIME: Duration = Duration::from_secs(5);
/// Without a limit of the user's.
const DEFAULT_TIME: Duration = Duration::from_secs(900);

/// What the engine came to.
pub(crate) enum Answer {
    /// No error; nothing was cut off with this many rounds of each loop.
    Safe {
        bound: u32,
        encoding: Encoding,
    },
    Violation(Box<Violation>),
    /// A violation that supports no verdict, and why.
    Doubtful(Box<(Violation, String)>),
    Unknown(String),
}

/// Decides reachability, or says why it cannot.
pub(crate) fn check(cfa: &Cfa, property: &Property, budget: &Budget) -> Answer {
    let facts = Analyses::new(cfa);
    let time = budget.remaining().unwrap_or(DEFAULT_TIME);
    let first = run(cfa, &facts, property, &budget.at_most(time.mul_f64(0.5)), Encoding::Int);
    let reason = match first {
        Answer::Safe { .. } => {
            let second = budget.at_most(SECOND_OPINION_TIME.min(time.mul_f64(0.25)));
            return match run(cfa, &facts, property, &second, Encoding::BitVector) {
                violation @ Answer::Violation(_) => violation,
                Answer::Doubtful(_) | Answer::Safe { .. } | Answer::Unknown(_) => first,
            };
        }
        Answer::Violation(_) | Answer::Doubtful(_) => return first,
        Answer::Unknown(reason) => reason,
    };
    match run(cfa, &facts, property, budget, Encoding::BitVector) {
        Answer::Unknown(second) => {
            Answer::Unknown(if second == reason { reason } else { format!("{second}; {reason}") })
        }
        answer => answer,
    }
}

fn run(cfa: &Cfa, facts: &Analyses, property: &Property, budget: &Budget, encoding: Encoding) -> Answer {
    let solver = Family::new().and_then(|family| Z3Solver::new(&family));
    let mut solver = match solver {
        Ok(solver) => solver,
        Err(error) => return Answer::Unknown(format!("the solver does not start: {error:?}")),
    };
    let is_error = |edge: EdgeId| counts(cfa, property, edge);
    let task = Task { cfa, facts, encoding, budget, is_error: &is_error, query_timeout: QUERY_TIME };
    let mut found = Search::default();
    let mut replay = |choices: &[Choice]| {
        found = confirm(cfa, property, &mut Replay::new(choices), budget);
        found.violation.is_some()
    };
    let outcome = bmc::check(&task, &mut solver, &mut replay);
    match (outcome, found.violation, found.doubtful) {
        (_, Some(violation), _) => Answer::Violation(Box::new(violation)),
        (_, None, Some(doubtful)) => Answer::Doubtful(Box::new(doubtful)),
        (Outcome::Safe { bound }, ..) => Answer::Safe { bound, encoding },
        (Outcome::Unknown { bound, reason }, ..) => Answer::Unknown(format!("{reason}, bound {bound}")),
        (Outcome::Error { .. }, ..) => Answer::Unknown("a counterexample did not replay".to_owned()),
    }
}

/// Does reaching this error edge violate the property?
fn counts(cfa: &Cfa, property: &Property, edge: EdgeId) -> bool {
    match (&cfa.edges[edge].op, property) {
        (Op::Error { kind: ErrorKind::Call(_) }, Property::Unreachable { .. }) => true,
        (Op::Error { kind: ErrorKind::Assertion }, Property::Unreachable { asserts, .. }) => *asserts,
        _ => false,
    }
}

/// The inputs of a model, in the order in which the run asks for them. What a run reads without having written it is
/// answered with zero: its order of asking is not that of the formulas.
struct Replay {
    values: VecDeque<InputValue>,
}

impl Replay {
    fn new(choices: &[Choice]) -> Self {
        let asked = choices.iter().filter(|choice| !matches!(choice.input.source, Source::Uninitialised(_)));
        Self { values: asked.map(|choice| input_value(choice.value.as_ref())).collect() }
    }
}

impl InputSource for Replay {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        match request.origin {
            InputOrigin::Havoc(_) | InputOrigin::External(_) => {
                Some(self.values.pop_front().unwrap_or(InputValue::Int(0)))
            }
            InputOrigin::Uninitialised | InputOrigin::Allocation => Some(InputValue::Int(0)),
        }
    }
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
