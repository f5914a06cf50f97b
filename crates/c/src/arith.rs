//! Exact C arithmetic on integer values: the one definition of what operators mean on numbers. Used for
//! constant expressions here, and as the reference elsewhere.
//!
//! Values are `i128` in the range of their type; `unsigned __int128` values above `i128::MAX` are kept by
//! their bits. Signed results that do not fit wrap around (as gcc with `-fwrapv`) and say so.

use crate::tree::{BinaryOp, UnaryOp};
use crate::types::{IntKind, Type, TypeId, Types};

/// What happened besides the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Exact(i128),
    /// A signed result did not fit; the value is the wrapped one.
    Overflow(i128),
    DivisionByZero,
    /// Shift by a negative amount or by the width or more.
    BadShift,
}

impl Outcome {
    /// The value, if the operation is defined.
    pub fn exact(self) -> Option<i128> {
        match self {
            Self::Exact(value) => Some(value),
            _ => None,
        }
    }
}

/// Width in bits and signedness of an integer type or a pointer.
pub fn shape(types: &Types, ty: TypeId) -> Option<(u32, bool)> {
    Some((types.int_width(ty)?, types.is_signed(ty)))
}

/// `value` modulo the type's width, in the type's range; `_Bool` is 0 or 1. Other types: unchanged.
pub fn wrap(types: &Types, ty: TypeId, value: i128) -> i128 {
    match *types.get(ty) {
        Type::Int(IntKind::Bool) => (value != 0) as i128,
        Type::Int(_) | Type::Pointer(_) => {
            let (width, signed) = shape(types, ty).unwrap_or((128, true));
            wrap_to(width, signed, value)
        }
        _ => value,
    }
}

/// `value` modulo `2^width` as a signed or unsigned number.
pub fn wrap_to(width: u32, signed: bool, value: i128) -> i128 {
    if width >= 128 {
        return value;
    }
    let shift = 128 - width;
    if signed { (value << shift) >> shift } else { (((value << shift) as u128) >> shift) as i128 }
}

/// `op a` in an integer type of this width.
pub fn unary(op: UnaryOp, width: u32, signed: bool, a: i128) -> Outcome {
    match op {
        UnaryOp::BitNot => Outcome::Exact(wrap_to(width, signed, !a)),
        UnaryOp::Neg => fit(width, signed, a.checked_neg(), a.wrapping_neg()),
    }
}

/// `a op b` in an integer type of this width; pointer operators are not arithmetic on numbers and give
/// `None`.
pub fn binary(op: BinaryOp, width: u32, signed: bool, a: i128, b: i128) -> Option<Outcome> {
    use BinaryOp::*;
    let (ua, ub) = (a as u128, b as u128);
    let wide_unsigned = width >= 128 && !signed;
    Some(match op {
        Add => fit(width, signed, a.checked_add(b), a.wrapping_add(b)),
        Sub => fit(width, signed, a.checked_sub(b), a.wrapping_sub(b)),
        Mul => fit(width, signed, a.checked_mul(b), a.wrapping_mul(b)),
        Div | Rem if b == 0 => Outcome::DivisionByZero,
        Div if wide_unsigned => Outcome::Exact((ua / ub) as i128),
        Rem if wide_unsigned => Outcome::Exact((ua % ub) as i128),
        Div => fit(width, signed, a.checked_div(b), a.wrapping_div(b)),
        Rem => {
            let overflows = signed && b == -1 && a == wrap_to(width, true, 1i128 << (width - 1));
            if overflows { Outcome::Overflow(0) } else { Outcome::Exact(a.wrapping_rem(b)) }
        }
        And => Outcome::Exact(a & b),
        Or => Outcome::Exact(a | b),
        Xor => Outcome::Exact(a ^ b),
        Shl | Shr if b < 0 || b >= i128::from(width) => Outcome::BadShift,
        Shl => {
            let wrapped = wrap_to(width, signed, a << b);
            // C11 6.5.7p4: a negative left operand, or a result that does not fit, is undefined.
            let lost = signed && (a < 0 || (wrapped >> b) != a);
            if lost { Outcome::Overflow(wrapped) } else { Outcome::Exact(wrapped) }
        }
        Shr if wide_unsigned => Outcome::Exact((ua >> b) as i128),
        Shr => Outcome::Exact(a >> b),
        Eq => Outcome::Exact((a == b) as i128),
        Ne => Outcome::Exact((a != b) as i128),
        Lt if wide_unsigned => Outcome::Exact((ua < ub) as i128),
        Le if wide_unsigned => Outcome::Exact((ua <= ub) as i128),
        Gt if wide_unsigned => Outcome::Exact((ua > ub) as i128),
        Ge if wide_unsigned => Outcome::Exact((ua >= ub) as i128),
        Lt => Outcome::Exact((a < b) as i128),
        Le => Outcome::Exact((a <= b) as i128),
        Gt => Outcome::Exact((a > b) as i128),
        Ge => Outcome::Exact((a >= b) as i128),
        PtrAdd | PtrSub | PtrDiff => return None,
    })
}

fn fit(width: u32, signed: bool, exact: Option<i128>, wrapped: i128) -> Outcome {
    let value = wrap_to(width, signed, wrapped);
    if !signed || exact == Some(value) { Outcome::Exact(value) } else { Outcome::Overflow(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_overflow_is_reported_and_wraps() {
        let max = i128::from(i32::MAX);
        assert_eq!(binary(BinaryOp::Add, 32, true, max, 1), Some(Outcome::Overflow(i128::from(i32::MIN))));
        assert_eq!(binary(BinaryOp::Add, 32, false, 0xffff_ffff, 1), Some(Outcome::Exact(0)));
        let min = i128::from(i32::MIN);
        assert_eq!(binary(BinaryOp::Div, 32, true, min, -1), Some(Outcome::Overflow(min)));
        assert_eq!(binary(BinaryOp::Rem, 32, true, min, -1), Some(Outcome::Overflow(0)));
        assert_eq!(unary(UnaryOp::Neg, 32, true, min), Outcome::Overflow(min));
    }

    #[test]
    fn shifts() {
        assert_eq!(binary(BinaryOp::Shl, 32, true, 1, 31), Some(Outcome::Overflow(i128::from(i32::MIN))));
        assert_eq!(binary(BinaryOp::Shl, 32, true, 1, 30), Some(Outcome::Exact(1 << 30)));
        assert_eq!(binary(BinaryOp::Shl, 32, true, 1, 32), Some(Outcome::BadShift));
        assert_eq!(binary(BinaryOp::Shr, 32, true, -8, 1), Some(Outcome::Exact(-4)));
        assert_eq!(binary(BinaryOp::Shl, 32, false, 3, 31), Some(Outcome::Exact(0x8000_0000)));
    }

    #[test]
    fn the_widest_unsigned_type_compares_by_its_bits() {
        assert_eq!(binary(BinaryOp::Lt, 128, false, -1, 1), Some(Outcome::Exact(0)));
        assert_eq!(binary(BinaryOp::Div, 128, false, -1, 2), Some(Outcome::Exact(i128::MAX)));
    }

    /// Small widths exhaustively against arithmetic in a wider type.
    #[test]
    fn four_bit_arithmetic_is_exact() {
        for signed in [false, true] {
            let (lo, hi): (i128, i128) = if signed { (-8, 7) } else { (0, 15) };
            for a in lo..=hi {
                for b in lo..=hi {
                    for (op, exact) in
                        [(BinaryOp::Add, a + b), (BinaryOp::Sub, a - b), (BinaryOp::Mul, a * b)]
                    {
                        let inside = (lo..=hi).contains(&exact);
                        let expected = (exact - lo).rem_euclid(16) + lo;
                        let got = binary(op, 4, signed, a, b);
                        let want = if inside || !signed {
                            Outcome::Exact(expected)
                        } else {
                            Outcome::Overflow(expected)
                        };
                        assert_eq!(got, Some(want), "{a} {op:?} {b}");
                    }
                }
            }
        }
    }
}
