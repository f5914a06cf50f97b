//! What the bit-vector operators compute, on the low bits of a `u128`. All results have no bits above the
//! width.

use crate::kind::Op;

/// The largest unsigned value.
pub fn mask(width: u8) -> u128 {
    debug_assert!((1..=128).contains(&width), "width {width}");
    u128::MAX >> (128 - u32::from(width))
}

/// The value in two's complement.
pub fn to_signed(width: u8, bits: u128) -> i128 {
    let unused = 128 - u32::from(width);
    ((bits << unused) as i128) >> unused
}

/// The largest signed value.
pub fn signed_max(width: u8) -> u128 {
    mask(width) >> 1
}

/// The bits of the smallest signed value.
pub fn signed_min(width: u8) -> u128 {
    signed_max(width) + 1
}

pub fn not(width: u8, a: u128) -> u128 {
    !a & mask(width)
}

pub fn neg(width: u8, a: u128) -> u128 {
    a.wrapping_neg() & mask(width)
}

/// A binary operator with arguments and result of one width; `None` for other operators.
pub fn binary(op: Op, width: u8, a: u128, b: u128) -> Option<u128> {
    let (signed_a, signed_b) = (to_signed(width, a), to_signed(width, b));
    // Shifts by the width or more give the same as shifts by one more than the largest index.
    let shift = u32::try_from(b).unwrap_or(u32::MAX).min(u32::from(width));
    let result = match op {
        Op::BvAdd => a.wrapping_add(b),
        Op::BvSub => a.wrapping_sub(b),
        Op::BvMul => a.wrapping_mul(b),
        Op::BvUdiv => a.checked_div(b).unwrap_or(u128::MAX),
        Op::BvUrem => a.checked_rem(b).unwrap_or(a),
        // By zero: 1 for a negative dividend and -1 otherwise. The quotient of the smallest value by -1
        // wraps.
        Op::BvSdiv if b == 0 => (if signed_a < 0 { 1i128 } else { -1 }) as u128,
        Op::BvSdiv => signed_a.wrapping_div(signed_b) as u128,
        Op::BvSrem if b == 0 => a,
        Op::BvSrem => signed_a.wrapping_rem(signed_b) as u128,
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvShl => a.checked_shl(shift).unwrap_or(0),
        Op::BvLshr => a.checked_shr(shift).unwrap_or(0),
        Op::BvAshr => (signed_a >> shift.min(127)) as u128,
        _ => return None,
    };
    Some(result & mask(width))
}

/// A comparison; `None` for other operators.
pub fn compare(op: Op, width: u8, a: u128, b: u128) -> Option<bool> {
    let (signed_a, signed_b) = (to_signed(width, a), to_signed(width, b));
    Some(match op {
        Op::BvUlt => a < b,
        Op::BvUle => a <= b,
        Op::BvSlt => signed_a < signed_b,
        Op::BvSle => signed_a <= signed_b,
        _ => return None,
    })
}

/// Bits `hi` down to `lo`.
pub fn extract(hi: u8, lo: u8, a: u128) -> u128 {
    (a >> lo) & mask(hi - lo + 1)
}

/// `high` above `low`, which has `low_width` bits. The sum of the widths is at most 128.
pub fn concat(low_width: u8, high: u128, low: u128) -> u128 {
    high.checked_shl(u32::from(low_width)).unwrap_or(0) | low
}

pub fn sign_extend(from: u8, to: u8, a: u128) -> u128 {
    to_signed(from, a) as u128 & mask(to)
}
