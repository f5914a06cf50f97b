//! An object as a list of leaves: scalars, and stretches of bytes that overlap (unions, bit-fields). They are
//! the parts or the elements of the table of layouts.

use summa_c::types::{TypeId, Types};
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_facts::layout::{Layouts, Part, PartKind};

/// Objects with more leaves are not copied leaf by leaf.
pub(crate) const MAX_LEAVES: usize = 512;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// In bytes from the start of the object.
    pub(crate) offset: u64,
    pub(crate) kind: LeafKind,
    /// In an array, so that other elements share its class.
    pub(crate) in_array: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeafKind {
    Scalar(TypeId),
    /// A stretch of this many bytes.
    Bytes(u64),
}

/// The types of a program with their layouts.
#[derive(Clone, Copy)]
pub(crate) struct Leaves<'a> {
    types: &'a Types,
    layouts: &'a Layouts,
}

impl<'a> Leaves<'a> {
    pub(crate) fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        Self { types: &cfa.program.types, layouts: &facts.layouts }
    }

    /// One leaf for each part, at its first element; None if there are too many, or one has no value.
    pub(crate) fn parts(self, ty: TypeId) -> Option<Vec<Leaf>> {
        let parts = self.layouts.parts(self.types, ty).filter(|parts| parts.len() <= MAX_LEAVES)?;
        let mut found = Vec::with_capacity(parts.len());
        for part in parts {
            if part.dimensions.iter().any(|dimension| dimension.stride.is_none()) {
                return None;
            }
            found.extend(self.leaf(part)?);
        }
        Some(found)
    }

    /// One leaf for each element, ascending; None if there are too many, or one has no value.
    pub(crate) fn elements(self, ty: TypeId) -> Option<Vec<Leaf>> {
        self.elements_up_to(MAX_LEAVES, ty)
    }

    /// The same with another limit.
    pub(crate) fn elements_up_to(self, limit: usize, ty: TypeId) -> Option<Vec<Leaf>> {
        let parts = self.layouts.parts(self.types, ty)?;
        let count = parts.iter().fold(0, |count: u64, part| count.saturating_add(part.count()));
        if count > limit as u64 {
            return None;
        }
        let mut found = Vec::with_capacity(count as usize);
        for part in parts {
            let (leaf, offsets) = (self.leaf(part)?, part.elements()?);
            if let Some(leaf) = leaf {
                found.extend(offsets.map(|offset| Leaf { offset, ..leaf }));
            }
        }
        found.sort_by_key(|leaf| leaf.offset);
        Some(found)
    }

    /// None if the part has no value that could be copied; nothing for records without members.
    fn leaf(self, part: &Part) -> Option<Option<Leaf>> {
        let kind = match part.kind {
            PartKind::Scalar => LeafKind::Scalar(part.ty),
            PartKind::Union(bytes) | PartKind::Bits { bytes, .. } => LeafKind::Bytes(bytes),
            PartKind::Opaque => return self.types.record_of(part.ty).map(|_| None),
        };
        Some(Some(Leaf { offset: part.offset, kind, in_array: !part.dimensions.is_empty() }))
    }
}
