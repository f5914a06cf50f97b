//! What sets of numbers say about each scalar, for proofs: its number if there is only one; otherwise its
//! bounds, whether it can be zero, and a congruence.

use super::{NumberSet, Scalars, State};
use crate::says::{Fact, ProofStyle, Says, ScalarFact};
use summa_c::tree::ExprId;
use summa_cpa::{Answer, Query};
use summa_encode::{Known, Range};

impl<V: NumberSet> Says<'_> for Scalars<'_, V> {
    fn facts(&self, state: &State<V>) -> Result<Vec<Fact>, String> {
        let mut facts = self.of_sets(state);
        facts.extend(self.congruences(state));
        Ok(facts.into_iter().map(Fact::Scalar).collect())
    }

    fn proof_style(&self) -> ProofStyle {
        ProofStyle { keeps_arguments: true, ..ProofStyle::default() }
    }
}

impl<V: NumberSet> Scalars<'_, V> {
    /// What a state knows of what another domain asks.
    pub(super) fn known_of(&self, state: &State<V>, query: Query) -> Answer {
        let known = |expr: ExprId| {
            let shape = self.shape(self.type_of(expr))?;
            let set = self.evaluate(&state.store, expr)?;
            Some((set, shape)).filter(|_| set != V::all(shape))
        };
        let answer = match query {
            // For pointers, only null and not null have a meaning.
            Query::Range(expr) if self.cfa.program.types.is_integer(self.type_of(expr)) => {
                known(expr).map(|(set, shape)| set.bounds(shape)).map(|(low, high)| Answer::Range(low, high))
            }
            Query::IsZero(expr) => known(expr).and_then(|(set, _)| Some(Answer::Truth(!set.truth()?))),
            Query::Range(_) | Query::Size(_) | Query::MayAlias(..) => None,
        };
        answer.unwrap_or_default()
    }

    fn of_sets(&self, state: &State<V>) -> Vec<ScalarFact> {
        let types = &self.cfa.program.types;
        let mut facts = Vec::new();
        for (at, set) in state.store.iter() {
            let Some(scalar) = self.layout().at(at) else { continue };
            let mut add =
                |known| facts.push(ScalarFact { var: at.var, offset: at.offset, ty: scalar.ty, known });
            let (lower, upper) = set.bounds(scalar.shape);
            if lower == upper {
                add(Known::Number(lower));
                continue;
            }
            // For pointers, only null and not null have a meaning.
            if types.is_integer(scalar.ty) {
                add(Known::In(Range { lower, upper, modulus: 1, residue: 0 }));
            }
            if !set.contains(0) && (lower..=upper).contains(&0)
                || !set.contains(0) && types.is_pointer(scalar.ty)
            {
                add(Known::NonZero);
            }
        }
        facts
    }

    /// Of the integers that have more than one value.
    fn congruences(&self, state: &State<V>) -> Vec<ScalarFact> {
        let fact = |(at, set): (_, V)| {
            let scalar = self.layout().at(at).filter(|s| self.cfa.program.types.is_integer(s.ty))?;
            let (lower, upper) = set.bounds(scalar.shape);
            let (modulus, residue) = set.congruence().filter(|&(modulus, _)| modulus > 1 && lower < upper)?;
            let known = Known::In(Range { lower, upper, modulus, residue });
            Some(ScalarFact { var: at.var, offset: at.offset, ty: scalar.ty, known })
        };
        state.store.iter().filter_map(fact).collect()
    }
}
