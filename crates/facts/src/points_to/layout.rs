//! The table of layouts, as points-to reads it: which parts it keeps apart, and how an access fits an object.
//!
//! All elements of an array are one part, a union is one, and so is a run of bit-fields. Offsets here are
//! *canonical*: those of the first element of every array on the way.

use crate::layout::{Layouts, Part, field_offset};
use summa_c::types::{RecordId, Type, TypeId, Types};

/// Records with more parts are kept as one: they cost time for each of their variables, and are seldom worth
/// it.
const MAX_PARTS: usize = 128;
/// More steps are not worth an answer.
const MAX_STEPS: usize = 2048;

/// How an access of some type at some offset relates to the type of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// The target is the object, or an element of it if the object is an array: pointer arithmetic stays
    /// among such elements.
    Whole,
    /// The target is an element of an array inside of the object, or that array: arithmetic may leave it.
    Element,
    /// The target is a member: its address may be used, but arithmetic on it leads elsewhere.
    Member,
    /// The object has no such part.
    Misfit,
}

/// The table of layouts, as points-to reads it.
pub(super) struct Shapes<'a> {
    types: &'a Types,
    layouts: &'a Layouts,
}

impl<'a> Shapes<'a> {
    pub(super) fn new(types: &'a Types, layouts: &'a Layouts) -> Self {
        Self { types, layouts }
    }

    /// The type under all array levels; characters stand for `void`, as in GNU arithmetic.
    pub(super) fn element(&self, mut ty: TypeId) -> TypeId {
        while let Type::Array(element, _) = *self.types.get(ty) {
            ty = element;
        }
        if self.types.is_void(ty) { self.types.char } else { ty }
    }

    /// Ascending; never empty. None: better kept as one.
    pub(super) fn parts(&self, ty: TypeId) -> Option<&'a [Part]> {
        let parts = self.layouts.parts(self.types, ty)?;
        // Members of size zero share their offset with the next one, so offsets are ambiguous.
        let is_ambiguous = || parts.windows(2).any(|pair| pair[0].offset == pair[1].offset);
        (parts.len() <= MAX_PARTS && !is_ambiguous()).then_some(parts)
    }

    fn is_plain_struct(&self, record: RecordId) -> bool {
        let record = self.types.record(record);
        !record.is_union && record.is_complete
    }

    pub(super) fn field_offset(&self, record: RecordId, index: u32) -> u64 {
        field_offset(self.types, record, index)
    }

    /// What an access with type `access` at the canonical `offset` finds in an object of type `whole`.
    pub(super) fn position(&self, whole: TypeId, offset: u64, access: TypeId) -> Position {
        let element = self.element(access);
        let is_array = matches!(self.types.get(access), Type::Array(..));
        let (mut ty, mut at, mut is_whole, mut is_element) = (whole, offset, true, false);
        loop {
            match *self.types.get(ty) {
                Type::Array(inner, _) => {
                    // An array inside of the object is found as a whole, not with another length.
                    if !is_whole && is_array && at == 0 && self.same(ty, access) {
                        return Position::Element;
                    }
                    ty = inner;
                    is_element = true;
                    continue;
                }
                _ if at == 0 && self.same(ty, element) => {
                    return match (is_whole, is_element) {
                        (true, _) => Position::Whole,
                        (false, _) if is_array => Position::Misfit,
                        (false, true) => Position::Element,
                        (false, false) => Position::Member,
                    };
                }
                Type::Record(record) if self.is_plain_struct(record) => {
                    let fields = &self.types.record(record).fields;
                    let holder = (0..fields.len() as u32).rev().find(|&i| self.field_offset(record, i) <= at);
                    let Some(index) = holder.filter(|&i| fields[i as usize].bits.is_none()) else {
                        return Position::Misfit;
                    };
                    at -= self.field_offset(record, index);
                    ty = fields[index as usize].ty;
                    (is_whole, is_element) = (false, false);
                }
                _ => return Position::Misfit,
            }
        }
    }

    /// The same bytes with the same meaning, up to signs and the targets of pointers. Records are compared
    /// member by member: those of one name may differ.
    pub(super) fn same(&self, a: TypeId, b: TypeId) -> bool {
        let types = self.types;
        let (mut todo, mut steps) = (vec![(a, b)], 0);
        while let Some((a, b)) = todo.pop() {
            steps += 1;
            if steps > MAX_STEPS {
                return false;
            }
            if a == b
                || types.is_integer(a) && types.is_integer(b) && types.size_of(a) == types.size_of(b)
                || types.is_pointer(a) && types.is_pointer(b)
            {
                continue;
            }
            match (types.get(a), types.get(b)) {
                (&Type::Array(x, n), &Type::Array(y, m)) if n == m => todo.push((x, y)),
                (&Type::Record(x), &Type::Record(y)) => {
                    let (x, y) = (types.record(x), types.record(y));
                    let is_alike = (x.is_complete, x.is_union, x.size) == (y.is_complete, y.is_union, y.size)
                        && x.fields.len() == y.fields.len();
                    if !is_alike || !x.is_complete {
                        return false;
                    }
                    for (x, y) in x.fields.iter().zip(&y.fields) {
                        if (x.offset, x.bits) != (y.offset, y.bits) {
                            return false;
                        }
                        todo.push((x.ty, y.ty));
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Are all scalars in objects of this type one part?
    pub(super) fn is_one_part(&self, ty: TypeId) -> bool {
        self.parts(ty).is_some_and(|parts| parts.len() == 1)
    }

    /// Is the first thing inside an object of this type an array?
    pub(super) fn starts_with_array(&self, whole: TypeId) -> bool {
        let mut ty = self.element(whole);
        while let Type::Record(record) = *self.types.get(ty) {
            let Some(first) = self.types.record(record).fields.first() else {
                return false;
            };
            if matches!(self.types.get(first.ty), Type::Array(..)) {
                return true;
            }
            ty = first.ty;
        }
        false
    }

    pub(super) fn types(&self) -> &'a Types {
        self.types
    }
}
