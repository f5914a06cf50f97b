//! The interval domain: for every scalar the least and the greatest value, and a congruence.
//!
//! [`arithmetic`] has the sets, [`crate::scalars`] everything that intervals share with other non-relational
//! domains. Here: how others read what was found, and the descending rounds that win back what widening gave
//! away.

pub mod arithmetic;
mod bits;
mod congruence;
mod narrow;
#[cfg(test)]
mod tests;

pub use arithmetic::Interval;
pub use narrow::narrow;

use crate::registry::{AnyState, Domain};
use crate::scalars::{Location, Scalars, State};
use summa_base::IdSet;
use summa_c::types::TypeId;
use summa_cfa::NodeId;
use summa_cpa::{ArgId, Product, Reached};

pub type Intervals<'a> = Scalars<'a, Interval>;
pub type IntervalState = State<Interval>;

/// `lower ≤ x ≤ upper` and `x ≡ residue (mod modulus)` for the scalar at a location; a modulus of 1 says
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    pub location: Location,
    /// An integer type of at most 64 bits; bounds are in its range.
    pub ty: TypeId,
    pub lower: i128,
    pub upper: i128,
    pub modulus: i128,
    /// At least 0, less than the modulus.
    pub residue: i128,
}

impl<'a> Intervals<'a> {
    /// The facts of a state about integers, by location. Pointers are left out, because their numbers only
    /// mean null or not null.
    pub fn bounds<'s>(&'s self, state: &'s IntervalState) -> impl Iterator<Item = Bound> + use<'a, 's> {
        state.store.iter().filter_map(|(location, set)| {
            let scalar = self.layout().at(location)?;
            let modulus = set.step().max(1);
            self.cfa.program.types.is_integer(scalar.ty).then(|| Bound {
                location,
                ty: scalar.ty,
                lower: set.lower(),
                upper: set.upper(),
                modulus,
                residue: set.lower().rem_euclid(modulus),
            })
        })
    }

    /// The bounds that hold in all of these states. None if there is no state: then everything holds.
    pub fn invariant<'s>(&self, states: impl Iterator<Item = &'s IntervalState>) -> Option<Vec<Bound>> {
        let joined = states.cloned().reduce(|a, b| self.join(&a, &b).unwrap_or_default())?;
        Some(self.bounds(&joined).collect())
    }
}

/// The interval states of a location, one for each call stack and for other components that keep states
/// apart. States that narrowing found to be unreachable are left out.
pub fn states_at<'r>(
    reached: &'r Reached<Product<Domain<'_>>>,
    unreachable: &'r IdSet<ArgId>,
    node: NodeId,
) -> impl Iterator<Item = &'r IntervalState> {
    let is_here = move |id: &ArgId| reached.nodes[*id].node == node && !unreachable.contains(*id);
    let here = reached.reached().filter(is_here);
    here.flat_map(move |id| {
        reached.nodes[id].state.iter().filter_map(|state| match state {
            AnyState::Interval(state) => Some(state),
            _ => None,
        })
    })
}
