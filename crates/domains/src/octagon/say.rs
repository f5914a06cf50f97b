//! What octagons say: their constraints about variables of the running activations.

use super::{Name, Octagons, State};
use crate::says::{AtMost, Fact, Says};
use summa_c::tree::{ExprId, VarId};
use summa_cpa::{Answer, Query};

impl Says<'_> for Octagons<'_> {
    fn facts(&self, state: &State) -> Result<Vec<Fact>, String> {
        let now = |&(name, is_negative): &(Name, bool)| match name {
            Name::Now(var) => Some((var, is_negative)),
            Name::Next(_) => None,
        };
        let constraints = state.octagon.constraints();
        let bounds = constraints.iter().filter_map(|constraint| {
            let terms: Option<Vec<(VarId, bool)>> = constraint.terms.iter().map(now).collect();
            Some(Fact::AtMost(AtMost { terms: terms?, bound: constraint.bound }))
        });
        Ok(bounds.collect())
    }
}

impl Octagons<'_> {
    /// The bounds of an expression that is a sum.
    pub(super) fn known_of(&self, state: &State, query: Query) -> Answer {
        let range = |expr: ExprId| self.range(&state.octagon, &self.sum(&state.octagon, expr)?);
        match query {
            Query::Range(expr) if !state.is_empty => match range(expr) {
                Some((lower, upper)) if lower <= upper => Answer::Range(lower, upper),
                _ => Answer::Unknown,
            },
            _ => Answer::Unknown,
        }
    }
}
