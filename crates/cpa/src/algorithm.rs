//! Algorithm 2 of the paper: CPA++(D, reached, waitlist, abort).
//!
//! Line numbers are those of the paper. What the paper leaves open is decided as follows:
//! * A successor that was merged into a reached state is covered by it (merge^join and merge_P give an upper
//!   bound of both).
//! * Covered states stay in the graph, with an edge to the state that covers them; targets are never covered,
//!   since each must be seen.
//! * All successors of a state are processed before the algorithm aborts for one of them, so none is
//!   forgotten.
//! * If the run stops for any reason, the popped state goes back to the waitlist, because only an empty
//!   waitlist becomes a proof.

use crate::cpa::{Arrival, Cpa, Stop};
use crate::moves::Move;
use crate::partition::Place;
use crate::reached::{ArgId, Reached, Status};
use summa_base::Budget;
use summa_cfa::Cfa;

/// How an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpaPlusPlus {
    /// The waitlist is empty.
    Complete,
    /// `abort` held for this new state.
    Aborted(ArgId),
}

/// Expands the waitlist until it is empty or `abort` holds for a new state.
pub fn cpa_plus_plus<C: Cpa>(
    cfa: &Cfa,
    cpa: &mut C,
    reached: &mut Reached<C>,
    abort: &dyn Fn(&C, &C::State) -> bool,
    budget: &Budget,
) -> Result<CpaPlusPlus, Stop> {
    // 1: while waitlist ≠ ∅, 2: pop (e, π) from waitlist
    while let Some(e) = reached.waitlist.pop() {
        // A stop for any reason gives e back.
        let mut expand = || -> Result<Option<ArgId>, Stop> {
            budget.check()?;
            // 3: reached := fcover(reached, e, π), 4: if (e, π) ∉ reached then 5: continue
            if cpa.fcover(reached, e)? {
                reached.postpone(e);
                return Ok(None);
            }
            let (state, precision) = (reached.nodes[e].state.clone(), reached.nodes[e].precision.clone());
            let (mut moves, mut aborted) = (Vec::new(), None);
            cpa.moves(&state, &mut moves);
            for by in moves {
                // 6: for all e' with e ⇝ (e', π)
                for successor in cpa.transfer(&state, &precision, by)? {
                    // 7 to 15: (ê, π̂), unless a reached state stands for it
                    let added = add_successor(cfa, cpa, reached, e, by, successor)?.new;
                    // 16: if abort(ê)
                    let is_first = |id: &ArgId| aborted.is_none() && abort(cpa, &reached.nodes[*id].state);
                    aborted = aborted.or(added.filter(is_first));
                }
            }
            Ok(aborted)
        };
        match expand() {
            Ok(None) => {}
            // 17: return (reached, waitlist), after the siblings
            Ok(Some(target)) => return Ok(CpaPlusPlus::Aborted(target)),
            Err(stop) => {
                if reached.nodes[e].status == Status::Reached {
                    reached.requeue(e, reached.nodes[e].precision.clone());
                }
                return Err(stop);
            }
        }
    }
    // 18: return (reached, waitlist)
    Ok(CpaPlusPlus::Complete)
}

/// What became of a successor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Successor {
    /// The state that was added to both sets.
    pub new: Option<ArgId>,
    /// The state that stands for it in the graph: the new one, one that is covered, one that it was merged
    /// into.
    pub node: Option<ArgId>,
}

/// Lines 7 to 15 for one successor e' of e.
pub fn add_successor<C: Cpa>(
    cfa: &Cfa,
    cpa: &mut C,
    reached: &mut Reached<C>,
    e: ArgId,
    by: Move,
    successor: C::State,
) -> Result<Successor, Stop> {
    let at = Arrival { node: by.to, by: Some(by), is_target: cpa.is_target(&successor) };
    let precision = reached.nodes[e].precision.clone();
    // 7: (ê, π̂) := prec(e', π, reached)
    let Some((state, precision)) = cpa.prec(successor, &precision, &at)? else {
        return Ok(Successor::default());
    };
    let place = reached.place(cpa, &state);
    // 8 to 12
    if let Some(merged) = merge_with_reached(cpa, reached, (&state, &precision, place), (e, &at, by))? {
        return Ok(Successor { new: None, node: Some(merged) });
    }
    // 13: if not stop(ê, reached, π̂)
    let covering = if at.is_target { None } else { stop(cpa, reached, (&state, &precision, place))? };
    let child = reached.add_child(cfa, cpa, e, by, state, precision, place);
    if let Some(covering) = covering {
        reached.cover(child, covering);
        return Ok(Successor { new: None, node: Some(child) });
    }
    // 14, 15: add to both sets
    reached.add(child);
    Ok(Successor { new: Some(child), node: Some(child) })
}

/// Lines 8 to 12: the last reached state that ê was merged into.
fn merge_with_reached<C: Cpa>(
    cpa: &mut C,
    reached: &mut Reached<C>,
    (state, precision, place): (&C::State, &C::Precision, Place),
    (e, at, by): (ArgId, &Arrival, Move),
) -> Result<Option<ArgId>, Stop> {
    let mut merged_into = None;
    // 8: for all (e'', π'') ∈ reached
    let neighbours = if cpa.never_merges() { Vec::new() } else { reached.neighbours(place).to_vec() };
    for other in neighbours {
        // 9: e_new := merge(ê, e'', π̂)
        let Some(merged) = cpa.merge(state, &reached.nodes[other].state, precision, at)? else { continue };
        merged_into = Some(other);
        reached.add_parent(other, e, by);
        // 10: if e_new ≠ e'' then 11, 12: e_new takes the place of e'' in both sets
        if merged != reached.nodes[other].state {
            reached.replace(cpa, other, merged, precision.clone());
        }
    }
    Ok(merged_into)
}

/// Line 13: the reached state that covers ê.
fn stop<C: Cpa>(
    cpa: &mut C,
    reached: &Reached<C>,
    (state, precision, place): (&C::State, &C::Precision, Place),
) -> Result<Option<ArgId>, Stop> {
    for other in reached.candidates(place) {
        if cpa.stop(state, &reached.nodes[other].state, precision)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}
