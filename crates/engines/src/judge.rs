//! What a target means. The path to it is checked precisely ([`crate::counterexample`]). An error counts when
//! its execution was replayed. An edge that Summa does not understand counts when a path to it cannot be
//! excluded; the answer is then UNKNOWN.

use crate::config::{Config, EncodingChoice};
use crate::counterexample::{Feasibility, PathChecker};
use crate::encoding_choice::choose;
use crate::only_execution::OnlyExecution;
use crate::task::{Choice, Ending, Reason, Replay, Task};
use std::rc::Rc;
use summa_cfa::{EdgeId, Op};
use summa_cpa::Move;
use summa_domains::registry::Evidence;
use summa_domains::says::{Observed, Says};
use summa_domains::{AnyState, Domain};
use summa_encode::Encoding;
use summa_logic::Counterexample;
use summa_smt::Statistics;

pub(crate) struct Judge<'t> {
    task: Task<'t>,
    /// The encodings in which error paths are checked, one after the other until one has an answer.
    checks: Vec<(Encoding, Option<PathChecker<'t>>)>,
    pub(crate) only: Rc<OnlyExecution<'t>>,
}

/// So many paths of an only execution are checked as formulas before it is run, where formulas refine.
const PATHS_BEFORE_RUN: u32 = 1;

impl<'t> Judge<'t> {
    pub(crate) fn new(task: &Task<'t>, config: &Config) -> Self {
        let is_free = config.encoding == EncodingChoice::Auto && !config.uses_formulas();
        let encodings =
            if is_free { choose(task.cfa, task.facts).order().to_vec() } else { vec![task.encoding] };
        let checks = encodings.into_iter().map(|encoding| (encoding, None)).collect();
        let paths = if config.refines_formulas() { PATHS_BEFORE_RUN } else { 0 };
        Self { task: task.clone(), checks, only: Rc::new(OnlyExecution::after_paths(task.cfa, paths)) }
    }

    /// What a target means that was not excluded, and of which this was observed.
    pub(crate) fn judge(
        &mut self,
        observed: Observed,
        evidence: Evidence,
        replay: &mut Replay<'_>,
    ) -> Ending {
        self.task.board.set_phase("checking a path to an error");
        let outcome = match (observed, evidence) {
            (Observed::Nothing, _) => {
                Ending::unknown(Reason::GaveUp("a target without a violation".to_owned()))
            }
            (Observed::Unsupported(edge), Evidence::Model(_)) => {
                Ending::unknown(unsupported(&self.task, edge))
            }
            // There is another way to a verdict, and it is not worth the time to know whether an execution
            // gets here.
            (Observed::Unsupported(edge), Evidence::Path(_)) if self.task.cfa.leaves_member(edge) => {
                Ending::unknown(unsupported(&self.task, edge))
            }
            (Observed::Unsupported(edge), Evidence::Path(moves)) => {
                let is_feasible = self.checker(0).ok().and_then(|checker| checker.is_feasible(&moves));
                let is_excluded = is_feasible == Some(false);
                Ending::unknown(if is_excluded {
                    Reason::Imprecise { edge }
                } else {
                    unsupported(&self.task, edge)
                })
            }
            (Observed::Violation(edge), Evidence::Model(found)) => {
                let (choices, inexact) = inputs_of(found);
                if replay(&choices) {
                    return Ending::Error { edge, inputs: choices };
                }
                let what = inexact.unwrap_or_else(|| "the path formula".to_owned());
                Ending::unknown(Reason::Inexact { what, edge: Some(edge) })
            }
            (Observed::Violation(edge), Evidence::Path(moves)) => self.check(&moves, edge, replay),
        };
        self.task.board.set_phase("exploring");
        outcome
    }

    fn check(&mut self, moves: &[Move], edge: EdgeId, replay: &mut Replay<'_>) -> Ending {
        if self.only.violates(moves, replay) {
            return Ending::Error { edge, inputs: Vec::new() };
        }
        let mut doubt = Reason::Imprecise { edge };
        for place in 0..self.checks.len() {
            let checker = match self.checker(place) {
                Ok(checker) => checker,
                Err(reason) => return Ending::unknown(reason),
            };
            match checker.check(moves, edge, replay) {
                Feasibility::Replayed(inputs) => return Ending::Error { edge, inputs },
                // Formulas allow more than what is, in every encoding.
                Feasibility::Infeasible => return Ending::unknown(Reason::Imprecise { edge }),
                Feasibility::NotReplayed(reason) | Feasibility::Undecided(reason) => doubt = reason,
            }
            if matches!(doubt, Reason::Exhausted(_)) {
                break;
            }
        }
        Ending::unknown(doubt)
    }

    /// The checker of paths in the encoding at this position of the list.
    fn checker(&mut self, place: usize) -> Result<&mut PathChecker<'t>, Reason> {
        let (encoding, checker) = &mut self.checks[place];
        let ready = match checker.take() {
            Some(ready) => ready,
            None => PathChecker::new(&self.task.in_encoding(*encoding))?,
        };
        Ok(checker.insert(ready))
    }

    pub(crate) fn statistics(&self) -> impl Iterator<Item = Statistics> + '_ {
        self.checks.iter().filter_map(|(_, checker)| Some(checker.as_ref()?.statistics()))
    }

    /// A target that was not excluded.
    pub(crate) fn imprecise(&self, observed: Observed) -> Reason {
        match observed {
            Observed::Violation(edge) => Reason::Imprecise { edge },
            Observed::Unsupported(edge) => unsupported(&self.task, edge),
            Observed::Nothing => Reason::GaveUp("a target without a violation".to_owned()),
        }
    }
}

/// What the components of a product say of a target.
pub(crate) fn observed(components: &[Domain<'_>], state: &[AnyState]) -> Observed {
    let observed = components.iter().zip(state).map(|(component, state)| component.observed(state));
    observed.into_iter().find(|observed| *observed != Observed::Nothing).unwrap_or(Observed::Nothing)
}

/// The model of a path as inputs, and what in its formulas was not exact.
fn inputs_of(found: Counterexample) -> (Vec<Choice>, Option<String>) {
    let choices = found.inputs.into_iter().map(|(input, value)| Choice { input, value }).collect();
    let inexact = found.approximations.into_iter().next().map(|approximation| approximation.what);
    (choices, inexact)
}

/// An edge that is not understood may be reached.
pub(crate) fn unsupported(task: &Task<'_>, edge: EdgeId) -> Reason {
    let what = match &task.cfa.edges[edge].op {
        Op::Unsupported { what } => what.to_string(),
        op => op.text(&task.cfa.program),
    };
    Reason::Unsupported { what, edge: Some(edge) }
}
