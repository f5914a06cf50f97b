//! What values say, for proofs that others check: of each cell its number, bits, or what it points to.
//!
//! What has no words (the number of an address) is left out: then less is said. The bytes of string literals
//! are no part of a state, and are said apart.

use super::cells::Cell;
use super::{Constant, Value, Values, constant};
use crate::says::{Fact, ProofStyle, Says, ScalarFact};
use summa_c::types::{ArrayLen, Type, TypeId, Types};
use summa_encode::Known;

/// The most bytes of literals about which facts are given.
const MAX_LITERALS: usize = 512;

impl Says<'_> for Value<'_> {
    fn facts(&self, state: &Values) -> Result<Vec<Fact>, String> {
        Ok(of_values(self, state).into_iter().map(Fact::Scalar).collect())
    }

    fn fixed_facts(&self) -> Vec<ScalarFact> {
        of_literals(self)
    }

    fn proof_style(&self) -> ProofStyle {
        // Values are exact, and so are bit-vectors.
        ProofStyle { is_modular: true, splits_meetings: true, ..ProofStyle::default() }
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
fn of_literals(domain: &Value<'_>) -> Vec<ScalarFact> {
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
                let is_it = at == 0 && super::cells::width(types, ty) == Some(width);
                return is_it.then_some(ty);
            }
        }
    }
}
