//! How an object of a type falls into *leaves*, the parts that points-to keeps apart.
//!
//! A leaf is a scalar member; all elements of an array share the leaves of its first element, a union is one
//! leaf, and so is a run of bit-fields. Offsets here are *canonical*: those of the first element of every
//! array on the way.

use std::rc::Rc;
use summa_base::FxHashMap;
use summa_c::types::{ArrayLen, RecordId, Type, TypeId, Types};

/// Records with more leaves are kept as one: they cost time for each of their variables, and are seldom worth
/// it.
const MAX_LEAVES: usize = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) offset: u64,
    pub(super) ty: TypeId,
}

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

pub(super) struct Layouts<'a> {
    types: &'a Types,
    leaves: FxHashMap<TypeId, Option<Rc<[Leaf]>>>,
}

impl<'a> Layouts<'a> {
    pub(super) fn new(types: &'a Types) -> Self {
        Self { types, leaves: FxHashMap::default() }
    }

    /// The type under all array levels; characters stand for `void`, as in GNU arithmetic.
    pub(super) fn element(&self, mut ty: TypeId) -> TypeId {
        while let Type::Array(element, _) = *self.types.get(ty) {
            ty = element;
        }
        if self.types.is_void(ty) { self.types.char } else { ty }
    }

    /// Ascending; never empty. None: better kept as one.
    pub(super) fn leaves(&mut self, ty: TypeId) -> Option<Rc<[Leaf]>> {
        if let Some(known) = self.leaves.get(&ty) {
            return known.clone();
        }
        let found = self.find_leaves(ty).map(Rc::from);
        self.leaves.insert(ty, found.clone());
        found
    }

    fn find_leaves(&self, ty: TypeId) -> Option<Vec<Leaf>> {
        let (mut leaves, mut todo, mut steps) = (Vec::new(), vec![Leaf { offset: 0, ty }], 0);
        while let Some(part) = todo.pop() {
            steps += 1;
            if steps > 16 * MAX_LEAVES {
                return None;
            }
            match *self.types.get(part.ty) {
                Type::Array(element, _) => todo.push(Leaf { ty: element, ..part }),
                Type::Record(record) if self.is_plain_struct(record) => {
                    let mut last_bits = None;
                    for (index, field) in self.types.record(record).fields.iter().enumerate() {
                        let offset = part.offset + self.field_offset(record, index as u32);
                        if field.bits.is_none() || last_bits.replace(offset) != Some(offset) {
                            todo.push(Leaf { offset, ty: field.ty });
                        }
                        if todo.len() + leaves.len() > 4 * MAX_LEAVES {
                            return None;
                        }
                    }
                }
                _ => leaves.push(part),
            }
        }
        leaves.sort_by_key(|leaf| leaf.offset);
        // Members of size zero share their offset with the next one, so offsets are ambiguous.
        let ambiguous = leaves.windows(2).any(|pair| pair[0].offset == pair[1].offset);
        if leaves.is_empty() {
            leaves.push(Leaf { offset: 0, ty });
        }
        (!ambiguous && leaves.len() <= MAX_LEAVES).then_some(leaves)
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
            if steps > 16 * MAX_LEAVES {
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

    /// Do all parts of objects of this type share one leaf?
    pub(super) fn is_one_leaf(&mut self, ty: TypeId) -> bool {
        self.leaves(ty).is_some_and(|leaves| leaves.len() == 1)
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

/// Canonical offset of a member; bit-fields that follow each other count as one member.
fn field_offset(types: &Types, record: RecordId, index: u32) -> u64 {
    let record = types.record(record);
    if record.is_union {
        return 0;
    }
    let upto = record.fields.get(..=index as usize).unwrap_or(&[]);
    match upto {
        [.., last] if last.bits.is_some() => {
            let run = upto.iter().rev().take_while(|field| field.bits.is_some()).last();
            run.map_or(0, |first| first.offset)
        }
        [.., last] => last.offset,
        [] => 0,
    }
}

/// Does the struct end with an array that may be longer than it says: `a[]`, `a[0]`, `a[1]`? The bytes after
/// the struct are then the rest of that array and not a second struct.
pub(super) fn has_tail(types: &Types, whole: TypeId) -> bool {
    tail(types, whole).is_some()
}

/// The offset of that array.
pub(super) fn tail(types: &Types, whole: TypeId) -> Option<u64> {
    let (mut ty, mut offset) = (whole, 0);
    loop {
        match *types.get(ty) {
            Type::Record(record) => match types.record(record).fields.last() {
                Some(last) if !types.record(record).is_union => {
                    (ty, offset) = (last.ty, offset + last.offset);
                }
                _ => return None,
            },
            Type::Array(_, len) if ty != whole => {
                return matches!(len, ArrayLen::Unknown | ArrayLen::Fixed(0 | 1)).then_some(offset);
            }
            _ => return None,
        }
    }
}

/// The canonical offset of a byte in objects of the type that lie side by side.
pub(super) fn canonical(types: &Types, whole: TypeId, offset: u64) -> u64 {
    let (mut ty, mut at, mut base) = (whole, offset, 0);
    if let Some(size) = types.size_of(ty).filter(|&size| size > 0 && !has_tail(types, ty)) {
        at %= size;
    }
    loop {
        match *types.get(ty) {
            Type::Array(element, _) => {
                ty = element;
                if let Some(size) = types.size_of(element).filter(|&size| size > 0) {
                    at %= size;
                }
            }
            Type::Record(record) if !types.record(record).is_union => {
                let fields = &types.record(record).fields;
                let holder = (0..fields.len() as u32).rev().find(|&i| field_offset(types, record, i) <= at);
                let Some(index) = holder else { return base + at };
                let start = field_offset(types, record, index);
                at -= start;
                base += start;
                ty = fields[index as usize].ty;
                if fields[index as usize].bits.is_some() {
                    return base;
                }
            }
            _ => return base + at,
        }
    }
}
