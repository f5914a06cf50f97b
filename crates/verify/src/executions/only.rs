//! The only execution of a program without inputs: if it ends and violates nothing, that is a proof.
//!
//! It must have ended by itself. Nothing in it may be undefined or unknown. Nothing may depend on where the
//! interpreter puts objects, since compilers place them differently. And it must end in the same way when it
//! is repeated.

use super::{Search, execute};
use crate::confirm::ConfirmedProof;
use crate::engine::{Answer, Tried};
use crate::property::Property;
use summa_base::Budget;
use summa_c::tree::{BinaryOp, ExprId, ExprKind};
use summa_cfa::Cfa;
use summa_engines::{Reason, Task};
use summa_interp::Zeros;

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
    /// Is the only execution of the program a proof, if it ends in the same way again?
    pub(super) fn is_proof(&self, cfa: &Cfa) -> bool {
        self.is_exhaustive && self.is_clean && self.doubtful.is_none() && !uses_addresses(cfa)
    }

    /// The same, and a second execution without inputs ends as the first one did.
    pub fn repeated(&self, cfa: &Cfa, property: &Property, budget: &Budget) -> Option<RepeatedExecution> {
        if !self.is_proof(cfa) {
            return None;
        }
        let again = execute(cfa, property, &mut Zeros, budget, budget);
        let is_same = again.is_proof(cfa) && again.violation.is_none() && again.last_steps == self.last_steps;
        is_same.then_some(RepeatedExecution { steps: self.last_steps })
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

/// Is there anything in the program whose value depends on the addresses of objects: numbers made from
/// pointers, or the order of pointers?
fn uses_addresses(cfa: &Cfa) -> bool {
    use BinaryOp::{Ge, Gt, Le, Lt};
    let (exprs, types) = (&cfa.program.exprs, &cfa.program.types);
    let is_pointer = |value: ExprId| types.is_pointer(exprs.type_of(value));
    exprs.expr_ids().any(|value| match exprs.expr(value).kind {
        ExprKind::Cast(inner) => is_pointer(inner) && !is_pointer(value) && exprs.as_int(inner).is_none(),
        ExprKind::Binary(Lt | Le | Gt | Ge, a, _) => is_pointer(a),
        _ => false,
    })
}
