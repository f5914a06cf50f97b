//! How objects of a type are divided into scalars: one table, by type, for all analyses.
//!
//! Points-to, the encoder, and the domains of single scalars read it. Each has limits and exceptions of its
//! own: how many elements it follows, and what unions mean to it.
//!
//! Vocabulary, here and elsewhere:
//! * *part*: a scalar of a type, all elements of the arrays around it taken together;
//! * *element*: one of these, at an offset of its own;
//! * *slot*: the node of points-to that holds what a part of an object points to;
//! * *class*: the memory that points-to cannot tell apart further;
//! * *cell*: one symbol of the state in formulas, which stands for (a component of) a class.

use std::ops::Range;
use std::sync::OnceLock;
use summa_base::IdVec;
use summa_c::types::{ArrayLen, RecordId, Type, TypeId, Types};

/// Types with more parts have none here.
const MAX_PARTS: usize = 4096;

/// A part of the objects of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The offset of its first element, in bytes from the start of the object.
    pub offset: u64,
    /// The type; for bit-fields that of the first one.
    pub ty: TypeId,
    pub kind: PartKind,
    /// The arrays around it, outermost first.
    pub dimensions: Box<[Dimension]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PartKind {
    Scalar,
    /// A union, with its size in bytes.
    Union(u64),
    /// Consecutive bit-fields, with their size in bytes.
    Bits {
        record: RecordId,
        fields: Range<usize>,
        bytes: u64,
    },
    /// Without a value: `void`, functions, records that are not complete or have no members.
    Opaque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// None: it is not constant, or the type does not say it.
    pub count: Option<u64>,
    /// The distance from one element to the next, in bytes. None: it is not constant.
    pub stride: Option<u64>,
}

impl Part {
    /// How many elements it has; arrays of unknown length count as empty.
    pub fn count(&self) -> u64 {
        self.dimensions.iter().fold(1, |count, dimension| count.saturating_mul(dimension.count.unwrap_or(0)))
    }

    /// The offsets of all elements, ascending. None: they are not constant.
    pub fn elements(&self) -> Option<impl Iterator<Item = u64>> {
        let mut steps = Vec::with_capacity(self.dimensions.len());
        for dimension in &self.dimensions {
            steps.push((dimension.count.unwrap_or(0), dimension.stride?));
        }
        let offset = self.offset;
        Some((0..self.count()).map(move |number| {
            let (mut rest, mut at) = (number, offset);
            for &(count, stride) in steps.iter().rev() {
                at += rest % count * stride;
                rest /= count;
            }
            at
        }))
    }
}

/// The parts of all types of a program, found when they are asked for.
#[derive(Debug)]
pub struct Layouts {
    parts: IdVec<TypeId, OnceLock<Option<Box<[Part]>>>>,
}

impl Layouts {
    pub fn new(types: &Types) -> Self {
        Self { parts: (0..types.len()).map(|_| OnceLock::new()).collect() }
    }

    /// The parts of a type by offset, at least one. None: there are too many.
    pub fn parts(&self, types: &Types, ty: TypeId) -> Option<&[Part]> {
        self.parts[ty].get_or_init(|| find_parts(types, ty)).as_deref()
    }
}

fn find_parts(types: &Types, ty: TypeId) -> Option<Box<[Part]>> {
    let mut found: Vec<Part> = Vec::new();
    let mut todo: Vec<(u64, TypeId, Vec<Dimension>)> = vec![(0, ty, Vec::new())];
    while let Some((offset, ty, mut dimensions)) = todo.pop() {
        if found.len() + todo.len() > MAX_PARTS {
            return None;
        }
        let mut part = |offset, ty, kind, dimensions: &[Dimension]| {
            found.push(Part { offset, ty, kind, dimensions: dimensions.into() });
        };
        match *types.get(ty) {
            Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
                part(offset, ty, PartKind::Scalar, &dimensions)
            }
            Type::Void | Type::Function(_) => part(offset, ty, PartKind::Opaque, &dimensions),
            Type::Array(element, len) => {
                let count = match len {
                    ArrayLen::Fixed(count) => Some(count),
                    ArrayLen::Unknown | ArrayLen::Variable(_) => None,
                };
                dimensions.push(Dimension { count, stride: types.size_of(element) });
                todo.push((offset, element, dimensions));
            }
            Type::Record(id) => {
                let record = types.record(id);
                if record.is_union && record.is_complete {
                    part(offset, ty, PartKind::Union(record.size), &dimensions);
                    continue;
                }
                if !record.is_complete {
                    part(offset, ty, PartKind::Opaque, &dimensions);
                    continue;
                }
                let mut next = 0;
                while let Some(field) = record.fields.get(next) {
                    let first = next;
                    next += 1;
                    if field.bits.is_none() {
                        todo.push((offset + field.offset, field.ty, dimensions.clone()));
                        continue;
                    }
                    next += record.fields[next..].iter().take_while(|field| field.bits.is_some()).count();
                    let run = record.fields[first..next].iter().filter_map(|field| field.bits);
                    let end = run.map(|bits| (bits.offset + u64::from(bits.width)).div_ceil(8)).max();
                    let bytes = end.unwrap_or(0).saturating_sub(field.offset);
                    let kind = PartKind::Bits { record: id, fields: first..next, bytes };
                    part(offset + field.offset, field.ty, kind, &dimensions);
                }
            }
        }
    }
    found.sort_by_key(|part| part.offset);
    if found.is_empty() {
        found.push(Part { offset: 0, ty, kind: PartKind::Opaque, dimensions: Box::default() });
    }
    Some(found.into())
}

/// Offset of a member; bit-fields that follow each other count as one member.
pub(crate) fn field_offset(types: &Types, record: RecordId, index: u32) -> u64 {
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
pub fn has_tail(types: &Types, whole: TypeId) -> bool {
    tail(types, whole).is_some()
}

/// The offset of that array.
pub(crate) fn tail(types: &Types, whole: TypeId) -> Option<u64> {
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

/// The *canonical* offset of a byte in objects of the type that lie side by side: the offset in the first
/// element of every array on the way.
pub fn canonical(types: &Types, whole: TypeId, offset: u64) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(declarations: &str) -> String {
        let text = format!("{declarations} it; int main(void) {{ return sizeof it > 0; }}");
        let loaded = summa_c::load_text("test.c", &text, summa_c::types::DataModel::Lp64).unwrap();
        let program = loaded.program;
        let var = program.vars.ids().find(|&var| program.var_name(var) == "it").unwrap();
        let layouts = Layouts::new(&program.types);
        let parts = layouts.parts(&program.types, program.vars[var].ty).unwrap();
        let part = |part: &Part| {
            let elements: Option<Vec<u64>> = part.elements().map(Iterator::collect);
            let kind = match &part.kind {
                PartKind::Scalar => "scalar".to_owned(),
                PartKind::Union(bytes) => format!("union of {bytes}"),
                PartKind::Bits { bytes, fields, .. } => format!("{} bit-fields in {bytes}", fields.len()),
                PartKind::Opaque => "opaque".to_owned(),
            };
            format!("{kind} at {elements:?}")
        };
        parts.iter().map(part).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn parts_and_their_elements() {
        assert_eq!(shown("int"), "scalar at Some([0])");
        assert_eq!(shown("typedef short square[2][2]; square"), "scalar at Some([0, 2, 4, 6])");
        let inner = "struct s { char c; struct { int x; short y; } in[2]; }";
        assert_eq!(shown(inner), "scalar at Some([0]), scalar at Some([4, 12]), scalar at Some([8, 16])");
        assert_eq!(
            shown(&format!("{inner}; struct s x[2]; struct {{ struct s a[2]; }}")).matches("at").count(),
            3
        );
        assert_eq!(
            shown("struct { int a : 3; int b : 9; long c; union { int d; long e; } u; char f[]; }"),
            "2 bit-fields in 2 at Some([0]), scalar at Some([8]), union of 8 at Some([16]), \
             scalar at Some([])"
        );
        assert_eq!(shown("struct { int x; char none[0]; }"), "scalar at Some([0]), scalar at Some([])");
    }
}
