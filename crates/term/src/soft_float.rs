//! What the float operators compute, exactly, on the bits of a value.
//!
//! As in SMT-LIB there is one NaN: every function takes any and returns [`nan`]. Rounding is to nearest, ties
//! to even, unless a direction is given. The bits are those of the interchange format; x87 values have 80,
//! with the leading one.

use crate::bits;
use crate::kind::{FloatOp, Op, Rounding};
use crate::sort::FloatSort;
use dashu_int::UBig;
use dashu_int::ops::{BitTest, SquareRootRem};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;

/// Runs `$body` with `$F` standing for the format.
macro_rules! with_format {
    ($sort:expr, $F:ident => $body:expr) => {
        match $sort {
            FloatSort::F32 => {
                type $F = Single;
                $body
            }
            FloatSort::F64 => {
                type $F = Double;
                $body
            }
            FloatSort::F80 => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatSort::F128 => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// Number of bits of the interchange format.
pub fn storage_bits(sort: FloatSort) -> u32 {
    match sort {
        FloatSort::F32 => 32,
        FloatSort::F64 => 64,
        FloatSort::F80 => 80,
        FloatSort::F128 => 128,
    }
}

/// The one NaN: quiet, positive, without payload.
pub fn nan(sort: FloatSort) -> u128 {
    with_format!(sort, F => F::qnan(None).to_bits())
}

fn bits_of<F: Float>(value: F) -> u128 {
    if value.is_nan() { F::qnan(None).to_bits() } else { value.to_bits() }
}

/// The bits of the same value with the one NaN. x87 encodings that the processor refuses are NaN.
pub fn canonical(sort: FloatSort, bits: u128) -> u128 {
    with_format!(sort, F => bits_of(F::from_bits(bits)))
}

/// The value with these bits in SMT-LIB's layout: x87 without the leading one, 79 bits.
pub fn from_smt_bits(sort: FloatSort, bits: u128) -> u128 {
    let stored = match sort {
        FloatSort::F80 => {
            let (fraction, upper) = (bits & ((1 << 63) - 1), bits >> 63);
            let leading = u128::from(upper & 0x7fff != 0);
            upper << 64 | leading << 63 | fraction
        }
        _ => bits,
    };
    canonical(sort, stored)
}

/// The bits in SMT-LIB's layout, see [`from_smt_bits`].
pub fn to_smt_bits(sort: FloatSort, bits: u128) -> u128 {
    match sort {
        FloatSort::F80 => (bits >> 64) << 63 | bits & ((1 << 63) - 1),
        _ => bits,
    }
}

/// The arithmetic operators with two arguments; `None` for others.
pub fn binary(op: Op, sort: FloatSort, a: u128, b: u128) -> Option<u128> {
    with_format!(sort, F => {
        let (x, y) = (F::from_bits(a), F::from_bits(b));
        let round = Round::NearestTiesToEven;
        let result = match op {
            Op::FloatAdd => x.add_r(y, round).value,
            Op::FloatSub => x.sub_r(y, round).value,
            Op::FloatMul => x.mul_r(y, round).value,
            Op::FloatDiv => x.div_r(y, round).value,
            Op::FloatRem => x.ieee_rem(y).value,
            _ => return None,
        };
        Some(bits_of(result))
    })
}

/// The operators with one argument of the same format; `None` for others.
pub fn unary(op: Op, sort: FloatSort, a: u128) -> Option<u128> {
    with_format!(sort, F => {
        let x = F::from_bits(a);
        let result = match op {
            Op::FloatNeg => -x,
            Op::FloatAbs => x.abs(),
            Op::FloatSqrt => square_root(x, sort.shape().1, Round::NearestTiesToEven),
            Op::FloatRoundToIntegral(rounding) => x.round_to_integral(direction(rounding)).value,
            _ => return None,
        };
        Some(bits_of(result))
    })
}

/// The operators on floats of one format, rounded in a direction; `None` for conversions.
pub fn rounded(op: FloatOp, rounding: Rounding, sort: FloatSort, args: &[u128]) -> Option<u128> {
    let round = direction(rounding);
    with_format!(sort, F => {
        let x = F::from_bits(*args.first()?);
        let second = || args.get(1).map(|&bits| F::from_bits(bits));
        let result = match op {
            FloatOp::Add => x.add_r(second()?, round).value,
            FloatOp::Sub => x.sub_r(second()?, round).value,
            FloatOp::Mul => x.mul_r(second()?, round).value,
            FloatOp::Div => x.div_r(second()?, round).value,
            FloatOp::Sqrt => square_root(x, sort.shape().1, round),
            FloatOp::Fma => x.mul_add_r(second()?, F::from_bits(*args.get(2)?), round).value,
            FloatOp::FromFloat | FloatOp::FromSbv | FloatOp::FromUbv => return None,
        };
        Some(bits_of(result))
    })
}

/// The value in another format, rounded in a direction.
pub fn convert_rounded(rounding: Rounding, from: FloatSort, to: FloatSort, a: u128) -> u128 {
    fn to_format<F: FloatConvert<G>, G: Float>(a: u128, round: Round) -> u128 {
        let mut loses = false;
        bits_of(F::from_bits(a).convert_r(round, &mut loses).value)
    }
    with_format!(from, F => with_format!(to, G => to_format::<F, G>(a, direction(rounding))))
}

/// The integer rounded in a direction; without `signed` it is the number with these 128 bits.
pub fn from_int_rounded(rounding: Rounding, sort: FloatSort, value: i128, signed: bool) -> u128 {
    let round = direction(rounding);
    with_format!(sort, F => {
        let rounded = match signed {
            true => F::from_i128_r(value, round),
            false => F::from_u128_r(value as u128, round),
        };
        rounded.value.to_bits()
    })
}

fn direction(rounding: Rounding) -> Round {
    match rounding {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Down => Round::TowardNegative,
        Rounding::Up => Round::TowardPositive,
        Rounding::Zero => Round::TowardZero,
    }
}

/// Correctly rounded: the integer root of the significand with two more bits than the format has, and a
/// sticky bit.
fn square_root<F: Float>(x: F, precision: u32, round: Round) -> F {
    if x.is_nan() || x.is_zero() {
        return x;
    }
    if x.is_negative() {
        return F::qnan(None);
    }
    if x.is_infinite() {
        return x;
    }
    // x = significand · 2^exponent with an integer significand; `ilogb` also normalises subnormal numbers.
    let mut exponent = x.ilogb() - (precision as i32 - 1);
    let mut exact = false;
    let integral = x.scalbn(-exponent).to_u128_r(128, Round::TowardZero, &mut exact).value;
    let mut significand = UBig::from(integral);
    // Enough bits for a root of `precision + 2` bits, and an even exponent.
    let mut shift = precision as i32 + 5;
    if (exponent - shift) % 2 != 0 {
        shift += 1;
    }
    significand <<= shift as usize;
    exponent -= shift;
    let (root, rest) = significand.sqrt_rem();
    debug_assert!(root.bit_len() >= precision as usize + 2, "the root is long enough to round");
    let with_sticky = (root << 1usize) + UBig::from(u8::from(rest != UBig::ZERO));
    let Ok(with_sticky) = u128::try_from(with_sticky) else { return F::qnan(None) };
    // One rounding; the result of a root is far from overflow and underflow, so scaling is exact.
    F::from_u128_r(with_sticky, round).value.scalbn(exponent / 2 - 1)
}

/// IEEE comparison: `None` if an argument is NaN, and -0 equals +0.
pub fn compare(sort: FloatSort, a: u128, b: u128) -> Option<Ordering> {
    with_format!(sort, F => F::from_bits(a).partial_cmp(&F::from_bits(b)))
}

pub fn is_nan(sort: FloatSort, a: u128) -> bool {
    with_format!(sort, F => F::from_bits(a).is_nan())
}

pub fn is_infinite(sort: FloatSort, a: u128) -> bool {
    with_format!(sort, F => F::from_bits(a).is_infinite())
}

/// The sign; false for NaN.
pub fn is_negative(sort: FloatSort, a: u128) -> bool {
    with_format!(sort, F => F::from_bits(a).is_negative() && !F::from_bits(a).is_nan())
}

/// The value rounded to another format.
pub fn convert(from: FloatSort, to: FloatSort, a: u128) -> u128 {
    convert_rounded(Rounding::NearestEven, from, to, a)
}

/// The integer rounded to the format.
pub fn from_signed(sort: FloatSort, value: i128) -> u128 {
    from_int_rounded(Rounding::NearestEven, sort, value, true)
}

pub fn from_unsigned(sort: FloatSort, value: u128) -> u128 {
    from_int_rounded(Rounding::NearestEven, sort, value as i128, false)
}

/// Truncation to an integer of this width; `None` if it does not fit.
pub fn to_int(sort: FloatSort, a: u128, width: u8, signed: bool) -> Option<u128> {
    // The magnitude in 128 bits, then the range: the library does not take widths below two.
    let (magnitude, negative) = with_format!(sort, F => {
        let x = F::from_bits(a);
        let mut exact = false;
        let magnitude = x.abs().to_u128_r(128, Round::TowardZero, &mut exact);
        if magnitude.status.contains(Status::INVALID_OP) {
            return None;
        }
        (magnitude.value, x.is_negative())
    });
    let largest = match (signed, negative) {
        (true, false) => bits::signed_max(width),
        (true, true) => bits::signed_min(width),
        (false, false) => bits::mask(width),
        (false, true) => 0,
    };
    let value = if negative { magnitude.wrapping_neg() } else { magnitude };
    (magnitude <= largest).then_some(value & bits::mask(width))
}
