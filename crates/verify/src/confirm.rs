//! From a claim to a proof: before a program is called safe, every step of the proof is shown again, with
//! fresh queries.
//!
//! TRUE needs a [`ConfirmedProof`]. There are only two ways to get one: a success of the checker, here, or
//! the repetition of a program's only execution ([`RepeatedExecution`]).

use crate::automata::Automata;
use crate::executions::RepeatedExecution;
use crate::property::Property;
use std::sync::Arc;
use std::time::Instant;
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId};
use summa_engines::stats::Stats;
use summa_engines::{Claim, Reason, Task};
use summa_facts::Analyses;
use summa_proof::{
    Audience, Certificate, Confirmed, InC, Refusal, SecondSolver, check_and_trim, check_twice,
};
use summa_transform::Transformed;

/// Share of the time left to the whole run that a check may take, if the engine's own time is not more.
const SHARE: f64 = 0.5;

/// Why no error is reachable, shown again independently of the engine that found it.
///
/// Its basis can be read. It cannot be made outside of this crate:
///
/// ```
/// use summa_verify::confirm::{Basis, ConfirmedProof};
///
/// fn read(proof: &ConfirmedProof) -> &Basis {
///     proof.basis()
/// }
/// ```
///
/// ```compile_fail,E0451
/// use summa_verify::confirm::{Basis, ConfirmedProof};
///
/// fn forged(basis: Basis) -> ConfirmedProof {
///     ConfirmedProof { basis }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ConfirmedProof {
    basis: Basis,
}

/// What a confirmed proof rests on.
#[derive(Clone, Debug)]
pub enum Basis {
    /// The checker has shown every step of this proof, which is about the program or about one that was made
    /// from it.
    Checked { certificate: Certificate, by: Confirmed },
    /// The program has one execution, which was repeated.
    Executed(RepeatedExecution),
}

impl ConfirmedProof {
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The proof as data, which can be stored.
    pub fn certificate(&self) -> Option<&Certificate> {
        match &self.basis {
            Basis::Checked { certificate, .. } => Some(certificate),
            Basis::Executed(_) => None,
        }
    }

    /// The effort of the checker.
    pub fn checked(&self) -> Option<&Confirmed> {
        match &self.basis {
            Basis::Checked { by, .. } => Some(by),
            Basis::Executed(_) => None,
        }
    }

    /// The only execution of the program, if that is the proof.
    pub fn execution(&self) -> Option<&RepeatedExecution> {
        match &self.basis {
            Basis::Executed(execution) => Some(execution),
            Basis::Checked { .. } => None,
        }
    }

    /// Invariants and contracts as expressions of C.
    pub fn in_c(&self, cfa: &Cfa, facts: &Analyses, audience: Audience) -> InC {
        self.certificate().map(|proof| proof.in_c(cfa, facts, audience)).unwrap_or_default()
    }

    /// The checked proof was about this program, which was made from the given one. So it is a proof for the
    /// given one.
    pub(crate) fn about(self, made: Arc<Transformed>) -> Self {
        match self.basis {
            Basis::Checked { certificate, by } => {
                let certificate = Certificate { about: Some(made), ..certificate };
                Self { basis: Basis::Checked { certificate, by } }
            }
            basis @ Basis::Executed(_) => Self { basis },
        }
    }
}

impl From<RepeatedExecution> for ConfirmedProof {
    fn from(execution: RepeatedExecution) -> Self {
        Self { basis: Basis::Executed(execution) }
    }
}

/// Does this proof, which may come from anywhere, hold for the program?
///
/// # Errors
/// Why it is not confirmed.
pub fn check(
    given: &Automata,
    property: &Property,
    certificate: Certificate,
    (budget, second_solver): (&Budget, Option<&SecondSolver>),
) -> Result<ConfirmedProof, Refusal> {
    let made = certificate.about.as_ref().map(|made| (&made.cfa, Analyses::new(&made.cfa)));
    let (cfa, facts) = made.as_ref().map_or((&given.cfa, given.facts()), |(cfa, facts)| (*cfa, facts));
    let is_error = |edge: EdgeId| property.is_violated_at(cfa, edge);
    let by = check_twice(cfa, facts, &is_error, &certificate.proof, budget, second_solver)?;
    Ok(ConfirmedProof { basis: Basis::Checked { certificate, by } })
}

/// Checks what an engine claims.
///
/// # Errors
/// Why the claim is not confirmed; the engine's answer then counts for nothing.
pub(crate) fn confirm(task: &Task<'_>, claim: Claim, stats: &mut Stats) -> Result<ConfirmedProof, Reason> {
    task.board.set_phase("checking the proof");
    let started = Instant::now();
    let Claim { proof, contents } = claim;
    let mut proof = proof
        .map_err(|why| Reason::GaveUp(format!("proved, but the proof cannot be written down: {why}")))?;
    let budget = time_for_check(task);
    let means = (&budget, task.second_solver.as_ref());
    let is_known = |procedure| contents.is_known(procedure);
    let answer = check_and_trim(task.cfa, task.facts, task.is_error, &mut proof, means, &is_known);
    if let Some(archive) = task.archive.filter(|_| answer.is_ok()) {
        contents.confirmed(&proof, archive);
    }
    let mut count = |name: &str, number: u64| stats.counts.push((name.to_owned(), number));
    count("Proof formulas", proof.size() as u64);
    count("Proof check (us)", started.elapsed().as_micros() as u64);
    let by = answer.map_err(refused)?;
    count("Proof steps", by.steps);
    count("Proof queries", by.queries);
    count("Contracts known", by.known);
    if task.second_solver.is_some() {
        count("Queries of the second solver", by.seconded);
    }
    Ok(ConfirmedProof { basis: Basis::Checked { certificate: proof.into(), by } })
}

/// The rest of the engine's time, or more if the run has more: another engine may take longer to find a proof
/// than the checker for this one.
fn time_for_check(task: &Task<'_>) -> Budget {
    let whole = match (task.whole.remaining(), task.budget.remaining()) {
        (Some(whole), Some(own)) => task.whole.at_most(own.max(whole.mul_f64(SHARE))),
        _ => task.whole.clone(),
    };
    whole.stopped_by(&task.budget.interrupt())
}

fn refused(refusal: Refusal) -> Reason {
    match refusal {
        Refusal::Exhausted(exhausted) => {
            Reason::GaveUp(format!("proved, but the proof was not checked: {exhausted}"))
        }
        wrong if wrong.is_wrong() => {
            Reason::Bug(format!("proved, but the proof is wrong, which is a bug in Summa: {wrong}"))
        }
        other => Reason::GaveUp(format!("proved, but the proof was not confirmed: {other}")),
    }
}
