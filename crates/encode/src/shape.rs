//! The shape of an integer type: all that arithmetic needs to know about it.

use summa_c::types::{FloatKind, IntKind, Type, TypeId, Types};
use summa_term::FloatSort;

/// Width and signedness. `_Bool` is an 8-bit unsigned integer that holds 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub width: u8,
    pub signed: bool,
    pub is_bool: bool,
}

impl Shape {
    pub fn unsigned(width: u8) -> Self {
        Self { width, signed: false, is_bool: false }
    }

    pub fn signed(width: u8) -> Self {
        Self { width, signed: true, is_bool: false }
    }

    /// The shape of an integer type; None for others.
    pub fn of(types: &Types, ty: TypeId) -> Option<Self> {
        let kind = types.int_kind(ty)?;
        let width = 8 * kind.size(types.model) as u8;
        Some(Self { width, signed: kind.is_signed(), is_bool: kind == IntKind::Bool })
    }

    /// Smallest and largest value, where they fit into `i128`.
    pub fn range(self) -> Option<(i128, i128)> {
        match (self.is_bool, self.signed, self.width) {
            (true, ..) => Some((0, 1)),
            (_, true, width) => Some((-1i128 << (width - 1), !(-1i128 << (width - 1)))),
            (_, false, 128..) => None,
            (_, false, width) => Some((0, (1i128 << width) - 1)),
        }
    }
}

/// The sort of a floating type.
pub fn float_sort(types: &Types, ty: TypeId) -> Option<FloatSort> {
    match *types.get(ty) {
        Type::Float(kind) => Some(match kind {
            FloatKind::Float => FloatSort::F32,
            FloatKind::Double => FloatSort::F64,
            FloatKind::LongDouble => FloatSort::F80,
            FloatKind::Float128 => FloatSort::F128,
        }),
        _ => None,
    }
}
