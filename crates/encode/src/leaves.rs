//! An object as a list of leaves: scalars, and stretches of bytes that overlap (unions, bit-fields).

use summa_c::types::{ArrayLen, Type, TypeId, Types};

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

/// The leaves of a type, ascending. `whole` lists every array element, otherwise the first stands for all.
/// None if there are too many, or the size is unknown.
pub(crate) fn leaves(types: &Types, ty: TypeId, whole: bool) -> Option<Vec<Leaf>> {
    leaves_up_to(MAX_LEAVES, types, ty, whole)
}

/// The same with another limit.
pub(crate) fn leaves_up_to(limit: usize, types: &Types, ty: TypeId, whole: bool) -> Option<Vec<Leaf>> {
    let mut found = Vec::new();
    let mut todo = vec![(0u64, ty, false)];
    while let Some((offset, ty, in_array)) = todo.pop() {
        if found.len() + todo.len() > limit {
            return None;
        }
        match *types.get(ty) {
            Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
                found.push(Leaf { offset, kind: LeafKind::Scalar(ty), in_array });
            }
            Type::Array(element, len) => {
                let size = types.size_of(element)?;
                let count = match len {
                    ArrayLen::Fixed(count) if whole => count,
                    ArrayLen::Fixed(0) | ArrayLen::Unknown | ArrayLen::Variable(_) if whole => 0,
                    _ => 1,
                };
                if count > limit as u64 {
                    return None;
                }
                todo.extend((0..count).rev().map(|i| (offset + i * size, element, true)));
            }
            Type::Record(record) => {
                let record = types.record(record);
                if record.is_union {
                    found.push(Leaf { offset, kind: LeafKind::Bytes(record.size), in_array });
                    continue;
                }
                let (mut parts, mut i) = (Vec::new(), 0);
                while let Some(field) = record.fields.get(i) {
                    i += 1;
                    if field.bits.is_none() {
                        parts.push((offset + field.offset, field.ty, in_array));
                        continue;
                    }
                    let run: Vec<_> = record.fields[i - 1..]
                        .iter()
                        .map_while(|f| f.bits.map(|bits| (f.offset, bits)))
                        .collect();
                    let end =
                        run.iter().map(|(_, bits)| (bits.offset + u64::from(bits.width)).div_ceil(8)).max();
                    let bytes = end.unwrap_or(field.offset) - field.offset;
                    found.push(Leaf {
                        offset: offset + field.offset,
                        kind: LeafKind::Bytes(bytes),
                        in_array,
                    });
                    i += run.len() - 1;
                }
                todo.extend(parts.into_iter().rev());
            }
            Type::Void | Type::Function(_) => return None,
        }
    }
    found.sort_by_key(|leaf| leaf.offset);
    Some(found)
}
