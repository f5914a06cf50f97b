//! Executions that violated the property twice: the basis of FALSE.
//!
//! A [`ReplayedViolation`] is made in one place, [`judge`], after the execution was repeated with its
//! recorded inputs and ended in the same way. An execution in which something outside of the program took
//! part is [`Doubtful`], and so is one that cannot be repeated.

use super::judge::{doubt, violated};
use super::{Doubtful, Violation};
use crate::property::Property;
use std::ops::Deref;
use summa_base::Exhausted;
use summa_interp::{End, List, Outcome, Policy, Program};

/// An execution that violates the property, and did so again when it was replayed.
///
/// It can be read as a violation, but only a replay makes one:
///
/// ```
/// use summa_verify::executions::{ReplayedViolation, Violation};
///
/// fn read(replayed: &ReplayedViolation) -> &Violation {
///     replayed
/// }
/// ```
///
/// ```compile_fail,E0451
/// use summa_verify::executions::{ReplayedViolation, Violation};
///
/// fn forged(violation: Violation) -> ReplayedViolation {
///     ReplayedViolation { violation }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ReplayedViolation {
    violation: Violation,
}

impl Deref for ReplayedViolation {
    type Target = Violation;

    fn deref(&self) -> &Violation {
        &self.violation
    }
}

/// What an execution says about the property.
pub(super) enum Judged {
    NoViolation,
    Violation(Box<ReplayedViolation>),
    Doubtful(Box<Doubtful>),
    /// The time was over before it was repeated.
    Stopped(Exhausted),
}

/// Does this execution violate the property? If so it is repeated with this policy.
pub(super) fn judge(program: &Program<'_>, again: &Policy, property: &Property, outcome: Outcome) -> Judged {
    let Some((name, what, edge)) = violated(property, &outcome) else { return Judged::NoViolation };
    let doubt = doubt(program.cfa, property, &outcome);
    let violation = Violation { property: name, what, edge, outcome };
    let doubtful = |violation, why| Judged::Doubtful(Box::new(Doubtful { violation, why }));
    if let Some(why) = doubt {
        return doubtful(violation, why);
    }
    let mut inputs = List::replay(&violation.outcome.inputs);
    let again = summa_interp::run(program, &mut inputs, again);
    if again.end == violation.outcome.end && again.steps == violation.outcome.steps {
        return Judged::Violation(Box::new(ReplayedViolation { violation }));
    }
    match again.end {
        End::Interrupted(why) => Judged::Stopped(why),
        _ => doubtful(violation, "the execution could not be repeated".to_owned()),
    }
}
