//! Arithmetic without an instruction of its own, and all arithmetic of wide types. Faults are returned, and
//! the machine decides what follows.

use crate::outcome::FaultKind;
use crate::scalar::Scalar;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_c::{arith, float};

/// A value and the fault that went with it; after `DivisionByZero` there is no value.
pub(crate) type Computed = (u128, Option<FaultKind>);

/// Any binary operator on canonical bits. Comparisons give 0 or 1. The right operand of a shift is given as
/// signed 64 bits.
pub(crate) fn binary(op: BinaryOp, kind: Scalar, a: u128, b: u128) -> Computed {
    if let Some(format) = kind.float_kind() {
        return match float::arithmetic(op, format, a, b) {
            Some(bits) => (bits, None),
            None => (u128::from(float::compare(op, format, a, b).unwrap_or(false)), None),
        };
    }
    let (width, signed) = (kind.width(), kind.is_signed());
    let x = kind.to_int(a);
    let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
    let y = if shift { i128::from(b as u64 as i64) } else { kind.to_int(b) };
    let give = |value: i128| if op.is_comparison() { value as u128 } else { kind.from_int(value) };
    match arith::binary(op, width, signed, x, y) {
        Some(arith::Outcome::Exact(value)) => (give(value), None),
        Some(arith::Outcome::Overflow(value)) if op == BinaryOp::Shl => {
            let fault = if x < 0 { FaultKind::NegativeShift } else { FaultKind::ShiftOverflow };
            (give(value), Some(fault))
        }
        Some(arith::Outcome::Overflow(value)) => (give(value), Some(FaultKind::SignedOverflow)),
        Some(arith::Outcome::DivisionByZero) => (0, Some(FaultKind::DivisionByZero)),
        Some(arith::Outcome::BadShift) => {
            // x86 takes the amount modulo the width of the register.
            let amount = y & i128::from(width.max(32) - 1);
            let value = match op {
                BinaryOp::Shl => x.wrapping_shl(amount as u32),
                _ if signed => x >> amount,
                _ => ((x as u128) >> amount) as i128,
            };
            (kind.from_int(value), Some(FaultKind::BadShift))
        }
        // Pointer operators are compiled to address computations.
        None => (0, None),
    }
}

pub(crate) fn unary(op: UnaryOp, kind: Scalar, a: u128) -> Computed {
    match (op, kind.float_kind()) {
        (UnaryOp::Neg, Some(format)) => return (float::negate(a, format), None),
        (UnaryOp::BitNot, Some(_)) => return (a, None),
        (_, None) => {}
    }
    match arith::unary(op, kind.width(), kind.is_signed(), kind.to_int(a)) {
        arith::Outcome::Exact(value) => (kind.from_int(value), None),
        arith::Outcome::Overflow(value) => (kind.from_int(value), Some(FaultKind::SignedOverflow)),
        arith::Outcome::DivisionByZero | arith::Outcome::BadShift => (0, None),
    }
}

/// `float` and `double` operators with the host's arithmetic, which rounds as C's does.
#[inline]
pub(crate) fn host_float(op: BinaryOp, kind: Scalar, a: u64, b: u64) -> u64 {
    use BinaryOp::*;
    macro_rules! apply {
        ($x:expr, $y:expr) => {{
            let (x, y) = ($x, $y);
            match op {
                Add => (x + y).to_bits().into(),
                Sub => (x - y).to_bits().into(),
                Mul => (x * y).to_bits().into(),
                Div => (x / y).to_bits().into(),
                Eq => (x == y).into(),
                Ne => (x != y).into(),
                Lt => (x < y).into(),
                Le => (x <= y).into(),
                Gt => (x > y).into(),
                Ge => (x >= y).into(),
                // No other operator takes floats.
                _ => 0,
            }
        }};
    }
    match kind {
        Scalar::F32 => apply!(f32::from_bits(a as u32), f32::from_bits(b as u32)),
        _ => apply!(f64::from_bits(a), f64::from_bits(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_shifts_take_the_amount_as_x86_does() {
        let minus = u128::from(-1i64 as u64);
        assert_eq!(binary(BinaryOp::Shl, Scalar::I32, 1, 33), (2, Some(FaultKind::BadShift)));
        assert_eq!(binary(BinaryOp::Shr, Scalar::U32, 0x8000_0000, minus), (1, Some(FaultKind::BadShift)));
        assert_eq!(binary(BinaryOp::Shr, Scalar::I128, 8, 1), (4, None));
    }

    #[test]
    fn host_floats_agree_with_the_reference() {
        let values = [0.0, -0.0, 1.5, -2.25, 1e300, 1e-310, f64::INFINITY, f64::NEG_INFINITY, 0.1];
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Lt, BinaryOp::Eq] {
            for x in values {
                for y in values {
                    let (a, b) = (x.to_bits(), y.to_bits());
                    let host = host_float(op, Scalar::F64, a, b);
                    let (reference, _) = binary(op, Scalar::F64, a.into(), b.into());
                    let both_nan = f64::from_bits(host).is_nan() && f64::from_bits(reference as u64).is_nan();
                    assert!(u128::from(host) == reference || both_nan, "{x} {op:?} {y}");
                }
            }
        }
    }
}
