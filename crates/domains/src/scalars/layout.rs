//! Which scalars a variable consists of: the memory locations about which states speak. They are elements of
//! the table of layouts.
//!
//! Nothing is ever known about these: volatile objects, string literals, unions, bit-fields, long arrays,
//!
//! Nothing is ever known about these: volatile objects, string literals, unions, bit-fields, long arrays,
//! floats, and variables of recursive functions whose address is taken (their name means another object in
//! each activation, and pointers may mean any of them).

use super::set::Shape;
use summa_base::IdVec;
use summa_c::tree::{FuncId, VarId, VarKind};
use summa_c::types::TypeId;
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_facts::layout::{Dimension, PartKind};

/// A scalar in a variable, by its offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    pub var: VarId,
    pub offset: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    pub offset: u64,
    pub ty: TypeId,
    pub shape: Shape,
}

impl Scalar {
    pub fn size(self) -> u64 {
        u64::from(self.shape.width / 8)
    }
}

/// Longer arrays are not looked into.
const MAX_ELEMENTS: u64 = 64;
/// Variables with more scalars are not looked into.
const MAX_SCALARS: usize = 256;

pub struct Layout {
    /// Ascending by offset.
    scalars: IdVec<VarId, Vec<Scalar>>,
    /// The variables of each function's frame that have scalars.
    frames: IdVec<FuncId, Vec<VarId>>,
}

impl Layout {
    pub fn new(cfa: &Cfa, facts: &Analyses) -> Self {
        let program = &cfa.program;
        let mut frames: IdVec<FuncId, Vec<VarId>> = program.functions.ids().map(|_| Vec::new()).collect();
        let mut scalars = IdVec::with_capacity(program.vars.len());
        for (var, info) in program.vars.iter() {
            let recursive = info.kind.frame().is_some_and(|function| facts.calls.is_recursive(function));
            let has_many = recursive && facts.variables.address_taken.contains(var);
            let is_known = !info.is_volatile && info.kind != VarKind::Literal && !has_many;
            let found = if is_known { scalars_of(cfa, facts, info.ty) } else { Vec::new() };
            if let (Some(function), false) = (info.kind.frame(), found.is_empty()) {
                frames[function].push(var);
            }
            scalars.push(found);
        }
        Self { scalars, frames }
    }

    pub fn scalars(&self, var: VarId) -> &[Scalar] {
        &self.scalars[var]
    }

    pub fn at(&self, location: Location) -> Option<Scalar> {
        let scalars = &self.scalars[location.var];
        scalars.binary_search_by_key(&location.offset, |scalar| scalar.offset).ok().map(|i| scalars[i])
    }

    /// The scalars that share a byte with the range.
    pub fn within(&self, var: VarId, start: u64, end: u64) -> impl Iterator<Item = Scalar> + '_ {
        let overlaps = move |s: &&Scalar| s.offset < end && s.offset + s.size() > start;
        self.scalars[var].iter().filter(overlaps).copied()
    }

    pub fn frame(&self, function: FuncId) -> &[VarId] {
        &self.frames[function]
    }
}

/// The scalars of a type, by offset; none if there are too many.
fn scalars_of(cfa: &Cfa, facts: &Analyses, ty: TypeId) -> Vec<Scalar> {
    let types = &cfa.program.types;
    let mut found = Vec::new();
    for part in facts.layouts.parts(types, ty).unwrap_or(&[]) {
        let is_long = |dimension: &Dimension| dimension.count.is_none_or(|count| count > MAX_ELEMENTS);
        let Some(shape) = Shape::of(types, part.ty).filter(|_| part.kind == PartKind::Scalar) else {
            continue;
        };
        let Some(offsets) = part.elements().filter(|_| !part.dimensions.iter().any(is_long)) else {
            continue;
        };
        if part.count().saturating_add(found.len() as u64) > MAX_SCALARS as u64 {
            return Vec::new();
        }
        found.extend(offsets.map(|offset| Scalar { offset, ty: part.ty, shape }));
    }
    found.sort_unstable_by_key(|scalar| scalar.offset);
    found
}
