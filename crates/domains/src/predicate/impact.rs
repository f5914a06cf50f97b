//! IMPACT refinement: interpolants strengthen the abstraction formulas of the states on the error path.
//!
//! Paper: Section 3.2.4. A strengthened state may no longer cover what it covered, and may now be covered
//! itself, with all below it; states whose formula became false are removed. The abstraction formulas live in
//! a table, so intermediate states see the stronger formula at once.

use super::refine::{Arg, predicate_of, state_of};
use super::{Abstraction, Predicate, PredicateState};
use crate::registry::Domain;
use summa_cpa::{ArgId, Cpa, Product, Status, Stop};
use summa_term::{Term, Terms};

/// Strengthens the states on a path with the interpolants at the ends of their blocks.
pub(super) fn refine<'a>(
    product: &mut Product<Domain<'a>>,
    index: usize,
    reached: &mut Arg<'a>,
    states: &[(ArgId, PredicateState)],
    interpolants: &[Term],
) -> Result<(), Stop> {
    // From the first false interpolant on nothing is reachable.
    let first_false = interpolants.iter().position(|&interpolant| interpolant == Terms::FALSE);
    let (kept, gone) = states.split_at(first_false.unwrap_or(states.len()));
    let changed = strengthen(product, kept, interpolants)?;
    if let Some(&(id, _)) = gone.first() {
        reached.prune(id);
    }
    recheck(product, index, reached, &changed)
}

/// Conjoins interpolants; the states whose formula became stronger.
pub(super) fn strengthen(
    product: &mut Product<Domain<'_>>,
    states: &[(ArgId, PredicateState)],
    interpolants: &[Term],
) -> Result<Vec<ArgId>, Stop> {
    let mut changed = Vec::new();
    let Some((_, predicate)) = predicate_of(product) else { return Ok(changed) };
    for (&(id, state), &interpolant) in states.iter().zip(interpolants) {
        if interpolant != Terms::TRUE && predicate.conjoin(state, interpolant)? {
            changed.push(id);
        }
    }
    Ok(changed)
}

impl Predicate<'_> {
    /// ψ := ψ ∧ τ; false if ψ implied τ before.
    fn conjoin(&mut self, state: PredicateState, interpolant: Term) -> Result<bool, Stop> {
        let Abstraction { formula: psi, node, .. } = self.abstractions[state.abstraction];
        let known = self.with_invariant(node, psi);
        let premises = self.logic.terms().conjuncts(known);
        if self.logic.implies(&premises, interpolant)? {
            return Ok(false);
        }
        let stronger = self.logic.terms().and2(psi, interpolant);
        let entry = &mut self.abstractions[state.abstraction];
        entry.formula = stronger;
        entry.region = None;
        Ok(true)
    }
}

/// Updates coverage after states became stronger: they may no longer cover what they covered, and may be
/// covered now.
pub(super) fn recheck<'a>(
    product: &mut Product<Domain<'a>>,
    index: usize,
    reached: &mut Arg<'a>,
    changed: &[ArgId],
) -> Result<(), Stop> {
    for &id in changed {
        for covered in reached.nodes[id].covers.clone() {
            let node = &reached.nodes[covered];
            let (state, precision) = (node.state.clone(), node.precision.clone());
            if !product.stop(&state, &reached.nodes[id].state, &precision)? {
                reached.uncover(covered);
            }
        }
    }
    // From the top: what is covered covers all below it.
    for &id in changed {
        if reached.nodes[id].status == Status::Reached {
            cover_if_possible(product, index, reached, id)?;
        }
    }
    Ok(())
}

/// Covers a reached abstraction state by an older one, if one is weaker.
fn cover_if_possible<'a>(
    product: &mut Product<Domain<'a>>,
    index: usize,
    reached: &mut Arg<'a>,
    id: ArgId,
) -> Result<bool, Stop> {
    let older: Vec<ArgId> =
        reached.bucket(reached.key(id)).iter().copied().filter(|&other| other < id).collect();
    for other in older {
        let is_abstraction = state_of(reached, index, other).is_some_and(|state| state.is_abstraction);
        let node = &reached.nodes[id];
        let (state, precision) = (node.state.clone(), node.precision.clone());
        if is_abstraction && product.stop(&state, &reached.nodes[other].state, &precision)? {
            reached.cover_subtree(id, other);
            return Ok(true);
        }
    }
    Ok(false)
}
