//! Exact values of scalars, and operators on them. The arithmetic is that of `summa_c`. This file adds
//! pointers, and the representation of a value by its bits, so that it can be read back as another type of
//! the same size.
//!
//! Signed results that do not fit wrap around, as everywhere in Summa where overflow is not the question.
//! Where C leaves a value undefined there is no constant.

use super::cells::width;
use summa_c::tree::{BinaryOp, FuncId, Program, UnaryOp, VarId};
use summa_c::types::{FloatKind, IntKind, Type, TypeId, Types};
use summa_c::{arith, float, fold};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer, or a pointer that is a plain number: the low bits, the others zero.
    Int(u128),
    Float(FloatKind, u128),
    /// An address in a variable, in bytes from its start.
    Address {
        var: VarId,
        offset: i64,
    },
    Function(FuncId),
    /// Any integer or pointer whose bits are not all zero. Not a single value: two of these may differ.
    NonZero,
}

impl Constant {
    pub const ZERO: Self = Self::Int(0);

    /// A truth value as operators give it.
    pub fn truth(holds: bool) -> Self {
        Self::Int(u128::from(holds))
    }

    /// The bits in memory. None for addresses, for NaNs, whose bits are not determined by operators, and for
    /// values that are too wide.
    pub fn bits(self) -> Option<u128> {
        match self {
            Self::Int(bits) => Some(bits),
            Self::Float(kind, bits) => float::compare(BinaryOp::Eq, kind, bits, bits)?.then_some(bits),
            Self::Address { .. } | Self::Function(_) | Self::NonZero => None,
        }
    }
}

/// The low bits of a number.
pub fn low(width: u32, number: i128) -> u128 {
    if width >= 128 { number as u128 } else { number as u128 & ((1 << width) - 1) }
}

/// The number behind the bits of an integer or pointer type.
pub fn number(types: &Types, ty: TypeId, bits: u128) -> Option<i128> {
    let (width, signed) = arith::shape(types, ty)?;
    Some(arith::wrap_to(width, signed, bits as i128))
}

/// The value that a number of the type is.
pub fn of_number(types: &Types, ty: TypeId, number: i128) -> Option<Constant> {
    Some(Constant::Int(low(types.int_width(ty)?, number)))
}

/// A value from memory, read as a scalar type of the same width.
pub fn as_type(types: &Types, ty: TypeId, found: Constant) -> Option<Constant> {
    match (types.get(ty), found) {
        (Type::Int(IntKind::Bool), _) => found.bits().filter(|&bits| bits <= 1).map(Constant::Int),
        (
            Type::Int(_) | Type::Pointer(_),
            Constant::Address { .. } | Constant::Function(_) | Constant::NonZero,
        ) => Some(found),
        (Type::Int(_) | Type::Pointer(_), _) => found.bits().map(Constant::Int),
        (Type::Float(kind), Constant::Float(other, _)) if *kind == other => Some(found),
        // All bits of the two common formats mean something.
        (&Type::Float(kind @ (FloatKind::Float | FloatKind::Double)), _) => {
            found.bits().map(|bits| Constant::Float(kind, bits))
        }
        (&Type::Float(kind), Constant::Int(0)) => Some(Constant::Float(kind, 0)),
        _ => None,
    }
}

/// Is the address in the variable (`true`), or at least not just behind it or further away?
fn lies_in(program: &Program, var: VarId, offset: i64, allow_end: bool) -> bool {
    let size = program.types.size_of(program.vars[var].ty).and_then(|size| i64::try_from(size).ok());
    size.is_some_and(|size| offset >= 0 && (offset < size || allow_end && offset == size))
}

/// Is the pointer known not to be null?
fn is_non_null(program: &Program, value: Constant) -> bool {
    match value {
        Constant::Address { var, offset } => lies_in(program, var, offset, true),
        Constant::Function(_) | Constant::NonZero => true,
        Constant::Int(bits) => bits != 0,
        Constant::Float(..) => false,
    }
}

pub fn unary(types: &Types, op: UnaryOp, ty: TypeId, a: Constant) -> Option<Constant> {
    match a {
        Constant::Int(bits) => {
            let (width, signed) = arith::shape(types, ty)?;
            let (arith::Outcome::Exact(value) | arith::Outcome::Overflow(value)) =
                arith::unary(op, width, signed, number(types, ty, bits)?)
            else {
                return None;
            };
            of_number(types, ty, value)
        }
        Constant::Float(kind, bits) if op == UnaryOp::Neg => {
            Some(Constant::Float(kind, float::negate(bits, kind)))
        }
        Constant::NonZero if op == UnaryOp::Neg => Some(Constant::NonZero),
        _ => None,
    }
}

/// `a op b`; `ty` is the type of the left operand, `right` that of the right one. No pointer arithmetic.
pub fn binary(
    program: &Program,
    op: BinaryOp,
    (ty, right): (TypeId, TypeId),
    (a, b): (Constant, Constant),
) -> Option<Constant> {
    let types = &program.types;
    match (a, b) {
        (Constant::Int(x), Constant::Int(y)) => {
            let (width, signed) = arith::shape(types, ty)?;
            let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
            let (x, y) = (number(types, ty, x)?, number(types, if is_shift { right } else { ty }, y)?);
            match arith::binary(op, width, signed, x, y)? {
                arith::Outcome::Exact(value) | arith::Outcome::Overflow(value) => {
                    let width = if op.is_comparison() { 32 } else { width };
                    Some(Constant::Int(low(width, value)))
                }
                arith::Outcome::DivisionByZero | arith::Outcome::BadShift => None,
            }
        }
        (Constant::Float(kind, x), Constant::Float(_, y)) => match float::arithmetic(op, kind, x, y) {
            Some(bits) => Some(Constant::Float(kind, bits)),
            None => float::compare(op, kind, x, y).map(Constant::truth),
        },
        _ if op.is_comparison() => compare_pointers(program, op, types.is_pointer(ty), a, b),
        _ => None,
    }
}

fn compare_pointers(
    program: &Program,
    op: BinaryOp,
    is_pointer: bool,
    a: Constant,
    b: Constant,
) -> Option<Constant> {
    let differ = match (a, b) {
        (Constant::Address { var, offset }, Constant::Address { var: other, offset: y }) if var == other => {
            let is_known = lies_in(program, var, offset, true) && lies_in(program, var, y, true);
            if !is_known || !(is_pointer || matches!(op, BinaryOp::Eq | BinaryOp::Ne)) {
                return None;
            }
            let outcome = arith::binary(op, 64, true, offset.into(), y.into())?.exact()?;
            return Some(Constant::truth(outcome != 0));
        }
        // The end of one object may be the beginning of another.
        (Constant::Address { var, offset }, Constant::Address { var: other, offset: y }) => {
            lies_in(program, var, offset, false) && lies_in(program, other, y, false)
        }
        (Constant::Function(f), Constant::Function(g)) if f == g => {
            return match op {
                BinaryOp::Eq => Some(Constant::truth(true)),
                BinaryOp::Ne => Some(Constant::truth(false)),
                _ => None,
            };
        }
        (Constant::Function(_), Constant::Function(_)) => true,
        (Constant::Int(0), other) | (other, Constant::Int(0)) => is_non_null(program, other),
        _ => false,
    };
    match op {
        BinaryOp::Eq if differ => Some(Constant::truth(false)),
        BinaryOp::Ne if differ => Some(Constant::truth(true)),
        _ => None,
    }
}

/// A pointer moved by a number of elements of a size.
pub fn moved(types: &Types, ty: TypeId, pointer: Constant, by: i128, stride: u64) -> Option<Constant> {
    let by = by.checked_mul(i128::from(stride))?;
    match pointer {
        Constant::Address { var, offset } => {
            let offset = i64::try_from(i128::from(offset).checked_add(by)?).ok()?;
            Some(Constant::Address { var, offset })
        }
        Constant::Int(bits) => of_number(types, ty, number(types, ty, bits)?.wrapping_add(by)),
        _ => None,
    }
}

/// The difference of two pointers in elements of a size.
pub fn difference(types: &Types, ty: TypeId, a: Constant, b: Constant, stride: u64) -> Option<Constant> {
    let bytes = match (a, b) {
        (Constant::Address { var, offset }, Constant::Address { var: other, offset: y }) if var == other => {
            i128::from(offset) - i128::from(y)
        }
        (Constant::Int(x), Constant::Int(y)) => {
            let (width, _) = arith::shape(types, ty)?;
            arith::wrap_to(width, true, (x as i128).wrapping_sub(y as i128))
        }
        _ => return None,
    };
    let elements = bytes.checked_div(i128::from(stride))?;
    of_number(types, types.ptrdiff_t, elements)
}

/// Conversion as by a C cast.
pub fn cast(program: &Program, from: TypeId, to: TypeId, value: Constant) -> Option<Constant> {
    let types = &program.types;
    let converted = match value {
        Constant::Int(bits) => fold::cast(types, fold::Constant::Int(number(types, from, bits)?), from, to)?,
        Constant::Float(_, bits) => fold::cast(types, fold::Constant::Float(bits), from, to)?,
        Constant::Address { .. } | Constant::Function(_) => {
            if types.int_kind(to) == Some(IntKind::Bool) {
                return is_non_null(program, value).then_some(Constant::truth(true));
            }
            // An address survives where all its bits do.
            let is_kept = width(types, from) == width(types, to) && types.float_kind(to).is_none();
            return is_kept.then_some(value);
        }
        Constant::NonZero => {
            if types.int_kind(to) == Some(IntKind::Bool) {
                return Some(Constant::truth(true));
            }
            // The bits that there were are kept, and some of them are set.
            let is_kept = types.float_kind(to).is_none() && width(types, from)? <= width(types, to)?;
            return is_kept.then_some(Constant::NonZero);
        }
    };
    match (converted, types.float_kind(to)) {
        (fold::Constant::Int(value), None) => of_number(types, to, value),
        (fold::Constant::Float(bits), Some(kind)) => Some(Constant::Float(kind, bits)),
        _ => None,
    }
}

/// The value of a cell of this width as a reader of C would write it.
pub fn show(program: &Program, width: u32, is_signed: bool, value: Constant) -> String {
    match value {
        Constant::Int(bits) if is_signed => arith::wrap_to(width, true, bits as i128).to_string(),
        Constant::Int(bits) => bits.to_string(),
        Constant::Float(kind, bits) => {
            let double = float::convert(bits, kind, FloatKind::Double);
            format!("{:?}", f64::from_bits(double as u64))
        }
        Constant::Address { var, offset: 0 } => format!("&{}", program.var_name(var)),
        Constant::Address { var, offset } => format!("&{} + {offset}", program.var_name(var)),
        Constant::Function(function) => format!("&{}", program.func_name(function)),
        Constant::NonZero => "not 0".to_owned(),
    }
}
