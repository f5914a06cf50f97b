//! Invariants of loop heads, for the engines that use formulas: k-induction, predicate abstraction, IMPACT.
//! These engines take them for granted, and their proofs contain them as lemmas.
//!
//! [`intervals`] looks at the whole program once. [`beside`] repeats this with growing precision while an
//! engine works. [`lemmas`] then finds relations between variables that are inductive together: [`affine`]
//! finds linear equations, [`implications`] finds what cells of arrays hold. An analysis that does not end
//! within its share of the time says nothing.

mod affine;
pub(crate) mod beside;
mod implications;
pub(crate) mod intervals;
pub(crate) mod lemmas;
mod linear;
mod own_words;

pub use intervals::of_loop_heads;

use crate::task::{Reason, Task};
use crate::unrolling::Unroller;
use std::time::Duration;
use summa_base::Budget;
use summa_cpa::Stop;
use summa_logic::{Invariants, Workbench};

/// Locations with call stacks that are looked at for cut points.
pub(crate) const MAX_CONTEXTS: usize = 20_000;
/// The part of the time that is left which the search for lemmas may take.
const LEMMA_SHARE: f64 = 0.25;
/// The same for programs with cells of arrays, where lemmas are the proof.
const CELLS_SHARE: f64 = 0.6;
const LEMMA_TIME: Duration = Duration::from_secs(60);

/// The invariants of loop heads that intervals, equations and templates find in a part of the time, and the
/// workbench back.
pub fn with_lemmas<'t>(task: &Task<'t>, logic: Workbench<'t>) -> Result<(Workbench<'t>, Invariants), Reason> {
    let mut unroller = Unroller::with(task, logic);
    let mut known = of_loop_heads(task, unroller.logic())?;
    if let Some(points) = unroller.cut_points(MAX_CONTEXTS) {
        let budget = lemma_budget(task);
        let told = task.shared.predicates(unroller.logic());
        match lemmas::strengthen(&mut unroller, &points, &known, &told, &budget) {
            Ok(more) => known = more,
            Err(Stop::Exhausted(_)) => task.budget.check_now()?,
            Err(_) => {}
        }
    }
    Ok((unroller.into_logic(), known))
}

/// The time that the search for lemmas may take.
pub(crate) fn lemma_budget(task: &Task<'_>) -> Budget {
    let share = if implications::has_cells(task.cfa) { CELLS_SHARE } else { LEMMA_SHARE };
    let time = task.budget.remaining().map_or(LEMMA_TIME, |left| left.mul_f64(share));
    task.budget.at_most(time)
}
