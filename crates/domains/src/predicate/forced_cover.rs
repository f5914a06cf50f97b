//! fcover^IMPACT: strengthens a new state so that an older one covers it.
//!
//! Paper: Section 3.3. For a candidate e' at the same place, ê is the nearest common ancestor of e and e'
//! among the abstraction states. If ψ̂ and the blocks from ê to e imply ψ', then e is strengthened with ψ',
//! and the states between with the interpolants that show it. From then on e' covers e.

use super::refine::{Arg, predicate_of, state_of};
use super::{AbstractionId, Predicate, PredicateState};
use crate::registry::Domain;
use std::time::Duration;
use summa_base::Unanswered;
use summa_cpa::{ArgId, Cpa, Product, Stop};
use summa_logic::Block;
use summa_term::{Term, Terms};

/// Candidates that are tried for one state, the oldest first.
const MAX_CANDIDATES: usize = 8;
/// For the question whether a candidate covers.
const CHECK_TIME: Duration = Duration::from_millis(500);

/// What shows that a candidate covers: the abstractions on the way with their interpolants.
struct Forced {
    strengthened: Vec<(AbstractionId, Term)>,
}

/// Nothing, if the component is another domain or must not do so.
pub(crate) fn fcover<'a>(
    product: &mut Product<Domain<'a>>,
    index: usize,
    reached: &mut Arg<'a>,
    id: ArgId,
) -> Result<bool, Stop> {
    match &product.components[index] {
        Domain::Predicate(predicate) if predicate.settings.forced_covering => {}
        _ => return Ok(false),
    }
    let Some(state) = state_of(reached, index, id).filter(|state| state.is_abstraction) else {
        return Ok(false);
    };
    let candidates: Vec<(ArgId, PredicateState)> = reached
        .bucket(reached.key(id))
        .iter()
        .filter(|&&other| other < id)
        .filter_map(|&other| state_of(reached, index, other).map(|state| (other, state)))
        .filter(|(_, state)| state.is_abstraction)
        .collect();
    for (other, candidate) in candidates.into_iter().take(MAX_CANDIDATES) {
        let Some((_, predicate)) = predicate_of(product) else { return Ok(false) };
        let Some(forced) = predicate.force(state, candidate)? else { continue };
        let states = on_the_way(reached, index, id, &forced);
        let interpolants: Vec<Term> =
            forced.strengthened.iter().map(|&(_, interpolant)| interpolant).collect();
        let changed = super::impact::strengthen(product, &states, &interpolants)?;
        super::impact::recheck(product, index, reached, &changed)?;
        // The other components have to agree, and the state may be covered by now.
        let node = &reached.nodes[id];
        let (whole, precision) = (node.state.clone(), node.precision.clone());
        if node.status != summa_cpa::Status::Reached {
            return Ok(true);
        }
        if product.stop(&whole, &reached.nodes[other].state, &precision)? {
            reached.cover_subtree(id, other);
            return Ok(true);
        }
    }
    Ok(false)
}

/// The states of the ARG with the strengthened abstractions, in the same order.
fn on_the_way(reached: &Arg<'_>, index: usize, id: ArgId, forced: &Forced) -> Vec<(ArgId, PredicateState)> {
    let (_, path) = reached.path_to(id);
    path.iter()
        .filter_map(|&(_, id)| state_of(reached, index, id).map(|state| (id, state)))
        .filter(|(_, state)| {
            state.is_abstraction && forced.strengthened.iter().any(|&(known, _)| known == state.abstraction)
        })
        .collect()
}

impl Predicate<'_> {
    /// Can the state be strengthened to what the candidate has?
    fn force(&mut self, state: PredicateState, candidate: PredicateState) -> Result<Option<Forced>, Stop> {
        let goal = self.abstractions[candidate.abstraction].formula;
        if goal == Terms::TRUE {
            return Ok(None);
        }
        let Some(ancestor) = self.common_ancestor(state.abstraction, candidate.abstraction) else {
            return Ok(None);
        };
        let way = self.between(ancestor, state.abstraction);
        let mut blocks: Vec<Block> = way.iter().filter_map(|&end| self.block(end)).collect();
        if let Some(first) = blocks.first_mut() {
            let psi = self.abstractions[ancestor].formula;
            first.known = self.logic.terms().and2(first.known, psi);
        }
        if blocks.is_empty() {
            return Ok(None);
        }
        let mut chain = self.logic.chain(&blocks);
        let negated = self.logic.terms().not(goal);
        self.logic.end_with(&mut chain, negated);
        if self.logic.may_be_sat(&chain.formulas, CHECK_TIME)? {
            return Ok(None);
        }
        let mut strengthened: Vec<(AbstractionId, Term)> = Vec::new();
        if way.len() > 1 {
            let interpolants = match self.logic.interpolants(&chain, false) {
                Err(Unanswered::GaveUp(_)) => return Ok(None),
                answer => answer?,
            };
            let between = way[..way.len() - 1].iter().zip(interpolants);
            strengthened.extend(between.map(|(&id, interpolant)| (id, interpolant)));
        }
        strengthened.push((state.abstraction, goal));
        self.counters.forced_covers += 1;
        Ok(Some(Forced { strengthened }))
    }

    /// ê: the last abstraction that is on both ways from the start.
    fn common_ancestor(&self, first: AbstractionId, second: AbstractionId) -> Option<AbstractionId> {
        let ancestors = |mut at: AbstractionId| {
            let mut found = vec![at];
            while let Some((before, _)) = self.abstractions[at].block {
                found.push(before);
                at = before;
            }
            found
        };
        let of_second = ancestors(second);
        ancestors(first).into_iter().find(|id| of_second.contains(id))
    }
}
