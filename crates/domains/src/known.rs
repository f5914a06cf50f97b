//! What states of the non-relational domains say about scalars, one by one, in the words of formulas: for proofs that others check.
//!
//! What has no words (bit-fields, members of unions that are read as another type) is left out: then less is said.

use crate::registry::{AnyState, Domain};
use crate::scalars::{NumberSet, Scalars, State};
use crate::value::{Constant, Value, Values, constant};
use summa_c::tree::VarId;
use summa_c::types::{ArrayLen, Type, TypeId, Types};
use summa_encode::{Known, Range};

/// Something about the scalar of a type at an offset (in bytes) of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScalarFact {
    pub var: VarId,
    pub offset: u64,
    pub ty: TypeId,
    pub known: Known,
}

impl Domain<'_> {
    /// What a state says; nothing from domains that are not about single values.
    pub fn scalar_facts(&self, state: &AnyState) -> Vec<ScalarFact> {
        match (self, state) {
            (Self::Value(domain), AnyState::Value(state)) => of_values(domain, state),
            (Self::Interval(domain), AnyState::Interval(state)) => {
                let mut facts = of_sets(domain, state);
                // Intervals have a congruence beside their bounds.
                for bound in
                    domain.bounds(state).filter(|bound| bound.modulus > 1 && bound.lower < bound.upper)
                {
                    let (var, offset) = (bound.location.var, bound.location.offset);
                    let known = Known::In(Range {
                        lower: bound.lower,
                        upper: bound.upper,
                        modulus: bound.modulus,
                        residue: bound.residue,
                    });
                    facts.push(ScalarFact { var, offset, ty: bound.ty, known });
                }
                facts
            }
            (Self::Sign(domain), AnyState::Sign(state)) => of_sets(domain, state),
            _ => Vec::new(),
        }
    }
}

fn of_values(domain: &Value<'_>, state: &Values) -> Vec<ScalarFact> {
    let program = &domain.semantics.cfa.program;
    let fact = |(id, value)| {
        let cell = domain.semantics.cells.get(id);
        let (offset, ty) =
            (cell.at / 8, part(&program.types, program.vars[cell.var].ty, cell.at, cell.width)?);
        let known = match value {
            Constant::Int(bits) => Known::Number(constant::number(&program.types, ty, bits)?),
            Constant::Float(_, bits) => Known::Float(bits),
            Constant::Address { var, offset } => Known::Address { var, offset },
            Constant::Function(function) => Known::Function(function),
            Constant::NonZero => Known::NonZero,
        };
        Some(ScalarFact { var: cell.var, offset, ty, known })
    };
    state.iter().filter_map(fact).collect()
}

fn of_sets<V: NumberSet>(domain: &Scalars<'_, V>, state: &State<V>) -> Vec<ScalarFact> {
    let types = &domain.cfa.program.types;
    let mut facts = Vec::new();
    for (at, set) in state.store.iter() {
        let Some(scalar) = domain.layout().at(at) else { continue };
        let mut add = |known| facts.push(ScalarFact { var: at.var, offset: at.offset, ty: scalar.ty, known });
        let (lower, upper) = set.bounds(scalar.shape);
        if lower == upper {
            add(Known::Number(lower));
            continue;
        }
        // Of pointers only null and not null mean something.
        if types.is_integer(scalar.ty) {
            add(Known::In(Range { lower, upper, modulus: 1, residue: 0 }));
        }
        if !set.contains(0) && (lower..=upper).contains(&0) || !set.contains(0) && types.is_pointer(scalar.ty)
        {
            add(Known::NonZero);
        }
    }
    facts
}

/// The type of the scalar that is these bits of an object; of a union, that of its largest member there.
fn part(types: &Types, mut ty: TypeId, mut at: u64, width: u32) -> Option<TypeId> {
    loop {
        match *types.get(ty) {
            Type::Array(element, ArrayLen::Fixed(_)) => {
                let size = 8 * types.size_of(element).filter(|&size| size > 0)?;
                (ty, at) = (element, at % size);
            }
            Type::Record(record) => {
                let record = types.record(record);
                let size = |field: &&summa_c::types::Field| types.size_of(field.ty).unwrap_or(0);
                let field = if record.is_union {
                    record.fields.iter().rev().max_by_key(size)?
                } else {
                    record.fields.iter().rev().find(|field| 8 * field.offset <= at)?
                };
                if field.bits.is_some() {
                    return None;
                }
                (ty, at) = (field.ty, at.checked_sub(8 * field.offset)?);
            }
            Type::Array(..) | Type::Function(_) | Type::Void => return None,
            Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
                let is_it = at == 0 && crate::value::cells::width(types, ty) == Some(width);
                return is_it.then_some(ty);
            }
        }
    }
}
