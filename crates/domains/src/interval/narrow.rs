//! Narrowing: descending rounds over a complete reached set.
//!
//! After widening, the states are closed under transfer but larger than needed. Computing each once more from
//! those it came from gives states that still cover every run, since the old ones did; a state that nothing
//! leads to any more is unreachable. Paper: Cousot, Cousot, *Abstract interpretation*, POPL 1977 (with a
//! bounded number of rounds as narrowing operator).

use super::IntervalState;
use crate::registry::{AnyState, Domain};
use summa_base::{Budget, IdSet};
use summa_cpa::{ArgId, Cpa, Key, Move, Product, Reached, Status, Stop};

/// Makes the interval states of a complete reached set smaller, in `rounds` passes; the states that turned
/// out to be unreachable.
pub fn narrow(
    product: &mut Product<Domain<'_>>,
    reached: &mut Reached<Product<Domain<'_>>>,
    rounds: u32,
    budget: &Budget,
) -> Result<IdSet<ArgId>, Stop> {
    let mut unreachable = IdSet::new();
    let is_intervals = |domain: &Domain<'_>| matches!(domain, Domain::Interval(_));
    let Some(index) = product.components.iter().position(is_intervals) else { return Ok(unreachable) };
    // Only a complete set is closed.
    if !reached.waitlist.is_empty() {
        return Ok(unreachable);
    }
    for _ in 0..rounds {
        let mut is_smaller = false;
        let ids: Vec<ArgId> = reached.reached().collect();
        for id in ids {
            budget.check()?;
            if reached.roots.contains(&id) || unreachable.contains(id) {
                continue;
            }
            match incoming(product, reached, index, id, &unreachable)? {
                None => is_smaller |= unreachable.insert(id),
                Some(state) => is_smaller |= replace(reached, index, id, state),
            }
        }
        if !is_smaller {
            break;
        }
    }
    Ok(unreachable)
}

/// The join of all states that lead to a state, or to one that it covers.
fn incoming(
    product: &mut Product<Domain<'_>>,
    reached: &Reached<Product<Domain<'_>>>,
    index: usize,
    id: ArgId,
    unreachable: &IdSet<ArgId>,
) -> Result<Option<IntervalState>, Stop> {
    let node = &reached.nodes[id];
    let covered = node.covers.iter().flat_map(|&covered| &reached.nodes[covered].parents);
    let edges: Vec<(ArgId, Move)> = node.parents.iter().chain(covered).copied().collect();
    let mut all: Option<IntervalState> = None;
    for (parent, by) in edges {
        let from = &reached.nodes[parent];
        if unreachable.contains(parent) || from.status != Status::Reached {
            continue;
        }
        for successor in product.transfer(&from.state, &from.precision, by)? {
            let mut key = Key::new();
            product.key(&successor, &mut key);
            let (AnyState::Interval(state), Domain::Interval(domain)) =
                (&successor[index], &product.components[index])
            else {
                continue;
            };
            if key == *reached.key(id) {
                all = match all {
                    None => Some(state.clone()),
                    Some(all) => Some(domain.join(&all, state).unwrap_or_default()),
                };
            }
        }
    }
    Ok(all)
}

/// Puts the state in its place if it is smaller.
fn replace(
    reached: &mut Reached<Product<Domain<'_>>>,
    index: usize,
    id: ArgId,
    state: IntervalState,
) -> bool {
    let node = &mut reached.nodes[id];
    let AnyState::Interval(before) = &node.state[index] else { return false };
    let is_smaller =
        super::Intervals::is_within(&state, before) && !super::Intervals::is_within(before, &state);
    if is_smaller {
        let mut states = node.state.to_vec();
        states[index] = AnyState::Interval(state);
        node.state = states.into();
    }
    is_smaller
}
