//! What states of the non-relational domains say about single scalars, in the form that formulas understand,
//! for proofs.
//!
//! A fact without such a form (the number of an address) is left out: the proof then says less.

use crate::registry::{AnyState, Domain};
use crate::scalars::{NumberSet, Scalars, State};
use crate::value::cells::Cell;
use crate::value::{Constant, Value, Values, constant};
use summa_c::tree::VarId;
use summa_c::types::{ArrayLen, Type, TypeId, Types};
use summa_encode::{Known, Range};

/// More bytes of literals are not said.
const MAX_LITERALS: usize = 512;

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
        let types = &program.types;
        let whole = program.vars[cell.var].ty;
        let ty = part(types, whole, cell.at, cell.width);
        let is_float = ty.is_some_and(|ty| matches!(types.get(ty), Type::Float(_)));
        let known = match value {
            Constant::Address { var, offset } => Known::Address { var, offset },
            Constant::Function(function) => Known::Function(function),
            Constant::NonZero if ty.is_some() => Known::NonZero,
            Constant::NonZero => bits_of(cell, None)?,
            Constant::Int(bits) | Constant::Float(_, bits) if is_float => Known::Float(bits),
            Constant::Int(bits) | Constant::Float(_, bits) => match ty {
                Some(ty) => Known::Number(constant::number(types, ty, bits)?),
                None => bits_of(cell, Some(bits))?,
            },
        };
        Some(ScalarFact { var: cell.var, offset: cell.at / 8, ty: ty.unwrap_or(whole), known })
    };
    state.iter().filter_map(fact).collect()
}

/// A bit-field.
fn bits_of(cell: Cell, value: Option<u128>) -> Option<Known> {
    Some(Known::Bits { from: (cell.at % 8) as u8, width: u8::try_from(cell.width).ok()?, value })
}

/// The bytes of string literals, which are no part of a state: of those that nothing writes to, and not of
/// very many.
pub fn of_literals(domain: &Value<'_>) -> Vec<ScalarFact> {
    let (cfa, facts) = (domain.semantics.cfa, domain.semantics.facts);
    let written = &facts.mod_refs.of(&facts.calls, cfa.main).writes;
    let types = &cfa.program.types;
    let mut found = Vec::new();
    for var in cfa.program.vars.ids().filter(|&var| facts.relevance.variables.contains(var)) {
        let Some(bytes) = domain.semantics.cells.literal(var) else { continue };
        let is_written = written.variables.contains(var)
            || facts.points_to.of_var(var).iter().any(|&class| written.classes.contains(class));
        let Type::Array(element, _) = *types.get(cfa.program.vars[var].ty) else { continue };
        if is_written || found.len() + bytes.len() > MAX_LITERALS {
            continue;
        }
        let size = types.size_of(element).and_then(|size| usize::try_from(size).ok()).unwrap_or(0).max(1);
        for (offset, bytes) in (0..).step_by(size).zip(bytes.chunks(size)) {
            let bits = bytes.iter().rev().fold(0, |bits, &byte| bits << 8 | u128::from(byte));
            let Some(number) = constant::number(types, element, bits) else { continue };
            found.push(ScalarFact { var, offset, ty: element, known: Known::Number(number) });
        }
    }
    found
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
