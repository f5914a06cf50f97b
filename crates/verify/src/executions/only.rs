//! The only execution of a program without inputs: if it ends and violates nothing, that is a proof.
//!
//! It must have ended by itself. Nothing in it may be undefined, or unknown and of influence
//! (`summa_facts::idle`). Nothing may depend on where the interpreter puts objects, since compilers place
//! them differently ([`super::addresses`]). And it must end in the same way when it is repeated.

use super::addresses::Addresses;
use super::judge::violated;
use super::{MAX_MEMORY, Search, Violation, execute, observe, policy_for};
use crate::confirm::ConfirmedProof;
use crate::engine::{Answer, Tried};
use crate::property::Property;
use summa_base::Budget;
use summa_cfa::Cfa;
use summa_engines::{Reason, Task};
use summa_interp::{Policy, Program, Zeros};

/// The only execution of a program, which ended twice in the same way and violates nothing.
///
/// Only [`Search::repeated`] makes one:
///
/// ```
/// use summa_verify::executions::RepeatedExecution;
///
/// fn length(execution: &RepeatedExecution) -> u64 {
///     execution.steps()
/// }
/// ```
///
/// ```compile_fail,E0451
/// use summa_verify::executions::RepeatedExecution;
///
/// fn forged(steps: u64) -> RepeatedExecution {
///     RepeatedExecution { steps }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RepeatedExecution {
    steps: u64,
}

impl RepeatedExecution {
    /// The steps of the execution.
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl Search {
    /// Is the only execution of the program a proof, if it ends in the same way again and depends on no
    /// addresses?
    fn may_be_proof(&self) -> bool {
        self.is_exhaustive && self.is_clean && self.doubtful.is_none()
    }

    /// The same without looking at what it depends on: nothing in the program depends on addresses.
    pub(super) fn is_proof(&self, cfa: &Cfa) -> bool {
        self.may_be_proof() && Addresses::new(cfa).are_never_used()
    }

    /// The same, and a second execution without inputs ends as the first one did.
    pub fn repeated(&self, cfa: &Cfa, property: &Property, budget: &Budget) -> Option<RepeatedExecution> {
        if !self.may_be_proof() {
            return None;
        }
        let mut addresses = Addresses::new(cfa);
        let again = if addresses.are_never_used() {
            execute(cfa, property, &mut Zeros, budget, budget)
        } else {
            observe(cfa, property, &mut Zeros, &mut addresses, budget)
        };
        let is_same =
            again.may_be_proof() && again.violation.is_none() && again.last_steps == self.last_steps;
        (is_same && !addresses.matter).then_some(RepeatedExecution { steps: self.last_steps })
    }
}

/// The most work for executions in which a request for memory is refused.
const REFUSING_STEPS: u64 = 20_000_000;

/// How the only execution would violate a property of memory if there were no memory for one of its requests;
/// none is found if more than [`REFUSING_STEPS`] are needed.
///
/// By the rules of competitions no request is refused, and their labels do not agree on it. A proof that
/// depends on it is no answer.
pub fn violation_without_memory(cfa: &Cfa, property: &Property, budget: &Budget) -> Option<Violation> {
    if property.is_reachability() {
        return None;
    }
    let program = Program::new(cfa);
    let mut left = REFUSING_STEPS;
    let mut refused = 0;
    loop {
        let policy = Policy {
            budget: budget.clone(),
            max_memory: MAX_MEMORY,
            max_steps: left,
            refused: Some(refused),
            ..policy_for(property)
        };
        let outcome = summa_interp::run(&program, &mut Zeros, &policy);
        left = left.saturating_sub(outcome.work().max(1));
        let is_last = outcome.requests <= refused + 1;
        if let Some((property, what, edge)) = violated(property, &outcome) {
            return Some(Violation { property, what, edge, outcome });
        }
        if is_last || left == 0 {
            return None;
        }
        refused += 1;
    }
}

/// Carries out the only execution of a program without inputs.
pub fn execute_only(task: &Task<'_>, property: &Property, name: String) -> Tried {
    let mut found = execute(task.cfa, property, &mut Zeros, &task.budget, &task.whole);
    let answer = match (found.violation.take(), found.doubtful.take()) {
        (Some(violation), _) => Answer::Violation(Box::new(violation)),
        (None, Some(doubtful)) => Answer::Doubtful(Box::new(doubtful)),
        (None, None) => match (found.repeated(task.cfa, property, &task.whole), found.stopped) {
            (Some(repeated), _) => Answer::Safe(Box::new(ConfirmedProof::from(repeated))),
            (None, Some(why)) => Answer::Unknown(Reason::Exhausted(why)),
            (None, None) => {
                Answer::Unknown(Reason::GaveUp("it violates nothing, but is no proof".to_owned()))
            }
        },
    };
    Tried { answer, ..Tried::unknown(String::new(), name) }
}
