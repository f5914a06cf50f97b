//! Algorithm 4 of the paper: counterexample-guided abstraction refinement around CPA++.
//!
//! The refiner is the paper's operator `refine`: it finds that the error path is feasible, or changes the
//! sets `reached` and `waitlist` so that the same path is not found again.

use crate::algorithm::{CpaPlusPlus, cpa_plus_plus};
use crate::cpa::{Cpa, Stop};
use crate::reached::{ArgId, Reached};
use summa_base::Budget;
use summa_cfa::Cfa;

/// What became of an error path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refinement<X> {
    /// The path is infeasible and was taken out of the reached set.
    Refined,
    /// The path is feasible; the evidence serves to replay it.
    Feasible(X),
}

impl<X> Refinement<X> {
    /// The same with other evidence.
    pub fn map<Y>(self, evidence: impl FnOnce(X) -> Y) -> Refinement<Y> {
        match self {
            Self::Refined => Refinement::Refined,
            Self::Feasible(found) => Refinement::Feasible(evidence(found)),
        }
    }
}

pub trait Refiner<C: Cpa> {
    /// What shows that a path is feasible.
    type Evidence;

    fn refine(
        &mut self,
        cpa: &mut C,
        reached: &mut Reached<C>,
        target: ArgId,
    ) -> Result<Refinement<Self::Evidence>, Stop>;
}

/// How the loop ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<X> {
    /// No target is reachable: the reached set is a proof.
    Safe,
    Unsafe(X),
}

/// Alternates between exploration and refinement. `reached` and `waitlist` hold the initial state.
pub fn cegar<C: Cpa, R: Refiner<C>>(
    cfa: &Cfa,
    cpa: &mut C,
    reached: &mut Reached<C>,
    refiner: &mut R,
    budget: &Budget,
) -> Result<Outcome<R::Evidence>, Stop> {
    // 4: loop
    loop {
        // 5: (reached, waitlist) := CPA++(D, reached, waitlist, abort_ERR)
        let explored = cpa_plus_plus(cfa, cpa, reached, &|cpa: &C, state| cpa.is_target(state), budget)?;
        // 6: if there is an error state in reached
        let target = match explored {
            CpaPlusPlus::Aborted(target) => Some(target),
            CpaPlusPlus::Complete => reached.targets().next(),
        };
        // 11: return true
        let Some(target) = target else { return Ok(Outcome::Safe) };
        budget.check_now()?;
        // 7: refine, 8: if there still is one then 9: return false
        if let Refinement::Feasible(evidence) = refiner.refine(cpa, reached, target)? {
            return Ok(Outcome::Unsafe(evidence));
        }
    }
}
