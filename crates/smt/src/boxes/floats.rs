//! Floating-point operations on intervals.
//!
//! Rounding to nearest is monotone. So where an operation is monotone over the reals, its exact results at
//! the bounds are bounds of its results, and nothing needs to be rounded outwards.

use super::set::{Floats, Truth, Words, most_of, number};
use summa_term::Op;

fn rounded(is_single: bool, op: Op, a: f64, b: f64) -> f64 {
    // Singles are computed as singles: each operation is rounded once.
    if is_single {
        let (a, b) = (a as f32, b as f32);
        let result = match op {
            Op::FloatAdd => a + b,
            Op::FloatSub => a - b,
            Op::FloatMul => a * b,
            _ => a / b,
        };
        return result.into();
    }
    match op {
        Op::FloatAdd => a + b,
        Op::FloatSub => a - b,
        Op::FloatMul => a * b,
        _ => a / b,
    }
}

/// `+ - * /`; `is_same` if both operands are one term.
pub(super) fn arithmetic(op: Op, a: Floats, b: Floats, is_same: bool) -> Floats {
    let is_single = a.is_single;
    let nan = a.nan || b.nan;
    if !a.has_numbers() || !b.has_numbers() {
        return Floats::none(is_single, nan);
    }
    let at = |x: f64, y: f64| rounded(is_single, op, x, y);
    let found = match op {
        Op::FloatAdd => sum(a, b, &at),
        // Only infinity and NaN have no difference to themselves.
        Op::FloatSub if is_same => Floats { nan: a.has_infinity(), ..Floats::between(is_single, 0.0, 0.0) },
        Op::FloatSub => sum(a, negated(b), &|x, y| at(x, -y)),
        Op::FloatMul if is_same => {
            let (low, high) = (a.low.abs().min(a.high.abs()), a.low.abs().max(a.high.abs()));
            let low = if a.has_zero() { 0.0 } else { low };
            Floats::between(is_single, at(low, low), at(high, high))
        }
        Op::FloatMul => {
            let undefined = a.has_zero() && b.has_infinity() || b.has_zero() && a.has_infinity();
            Floats { nan: undefined, ..corners(a, b, &at) }
        }
        _ if (a.low, a.high, b.low, b.high) == (0.0, 0.0, 0.0, 0.0) => Floats::none(is_single, true),
        _ if b.has_zero() => {
            Floats { nan: a.has_zero() || a.has_infinity() && b.has_infinity(), ..Floats::all(is_single) }
        }
        _ => Floats { nan: a.has_infinity() && b.has_infinity(), ..corners(a, b, &at) },
    };
    Floats { nan: found.nan || nan, ..found }
}

fn sum(a: Floats, b: Floats, at: &dyn Fn(f64, f64) -> f64) -> Floats {
    let undefined = a.high == f64::INFINITY && b.low == f64::NEG_INFINITY
        || a.low == f64::NEG_INFINITY && b.high == f64::INFINITY;
    let (low, high) = (at(a.low, b.low), at(a.high, b.high));
    Floats {
        is_single: a.is_single,
        low: if low.is_nan() { f64::NEG_INFINITY } else { low },
        high: if high.is_nan() { f64::INFINITY } else { high },
        nan: undefined,
    }
}

/// The hull of the results at the bounds. Where one is undefined (`0 · ∞`, `∞ / ∞`), results nearby are zero,
/// or no larger than others.
fn corners(a: Floats, b: Floats, at: &dyn Fn(f64, f64) -> f64) -> Floats {
    let results = [at(a.low, b.low), at(a.low, b.high), at(a.high, b.low), at(a.high, b.high)];
    let mut found = Floats::none(a.is_single, false);
    for result in results {
        let result = if result.is_nan() { 0.0 } else { result };
        (found.low, found.high) = (found.low.min(result), found.high.max(result));
    }
    found
}

pub(super) fn negated(a: Floats) -> Floats {
    Floats { low: -a.high, high: -a.low, ..a }
}

pub(super) fn absolute(a: Floats) -> Floats {
    if a.low >= 0.0 {
        a
    } else if a.high <= 0.0 {
        negated(a)
    } else {
        Floats { low: 0.0, high: a.high.max(-a.low), ..a }
    }
}

pub(super) fn square_root(a: Floats) -> Floats {
    let root = |x: f64| if a.is_single { f64::from((x as f32).sqrt()) } else { x.sqrt() };
    let nan = a.nan || a.low < 0.0;
    if !a.has_numbers() || a.high < 0.0 {
        return Floats::none(a.is_single, nan);
    }
    Floats { nan, ..Floats::between(a.is_single, root(a.low.max(0.0)), root(a.high)) }
}

/// A monotone function with a value for every number.
pub(super) fn monotone(a: Floats, is_single: bool, function: impl Fn(f64) -> Option<f64>) -> Option<Floats> {
    if !a.has_numbers() {
        return Some(Floats::none(is_single, a.nan));
    }
    Some(Floats { nan: a.nan, ..Floats::between(is_single, function(a.low)?, function(a.high)?) })
}

/// IEEE comparisons, which are false for NaN.
pub(super) fn compare(op: Op, a: Floats, b: Floats) -> Truth {
    let nan = a.nan || b.nan;
    if !a.has_numbers() || !b.has_numbers() {
        return Truth { may_hold: false, may_fail: true };
    }
    match op {
        Op::FloatLt => Truth::known(!nan && a.high < b.low, a.low >= b.high),
        Op::FloatLe => Truth::known(!nan && a.high <= b.low, a.low > b.high),
        _ => {
            let is_one = a.low == a.high && b.low == b.high && a.low == b.low;
            Truth::known(!nan && is_one, a.low > b.high || b.low > a.high)
        }
    }
}

/// The floats with these bits.
pub(super) fn from_bits(is_single: bool, words: Words) -> Floats {
    let (sign, infinity) =
        if is_single { (1u64 << 31, 0x7f80_0000) } else { (1 << 63, 0x7ff0_0000_0000_0000) };
    let float = |bits: u64| number(is_single, bits.into());
    let mut found = Floats::none(is_single, false);
    let mut add = |low: f64, high: f64| (found.low, found.high) = (found.low.min(low), found.high.max(high));
    let half = |negative: bool| {
        let (first, last) = if negative { (sign, sign | (sign - 1)) } else { (0, sign - 1) };
        let (low, high) = (words.low.max(first), words.high.min(last));
        (low <= high).then_some((low & !sign, high & !sign))
    };
    let mut nan = false;
    for negative in [false, true] {
        let Some((low, high)) = half(negative) else { continue };
        nan |= high > infinity;
        if low <= infinity {
            let (low, high) = (float(low), float(high.min(infinity)));
            if negative { add(-high, -low) } else { add(low, high) }
        }
    }
    Floats { nan, ..found }
}

/// The bits of floats between two numbers, if all have one sign.
pub(super) fn to_bits(floats: Floats) -> Option<Words> {
    let width = if floats.is_single { 32 } else { 64 };
    let bits = |x: f64| if floats.is_single { u64::from((x as f32).to_bits()) } else { x.to_bits() };
    if floats.nan || !floats.has_numbers() {
        return None;
    }
    let sign = 1u64 << (width - 1);
    if floats.low > 0.0 {
        Some(Words::unsigned(width, bits(floats.low), bits(floats.high)))
    } else if floats.high < 0.0 {
        Some(Words::unsigned(width, bits(floats.high), bits(floats.low)))
    } else if floats.low == 0.0 {
        // The negative zero too: as unsigned words these are not together, so only the largest is known.
        Some(Words::unsigned(width, 0, bits(floats.high).max(sign)))
    } else {
        None
    }
}

/// Truncation to an integer; any word if a number does not fit.
pub(super) fn truncated(a: Floats, width: u8, is_signed: bool) -> Words {
    let any = Words::all(width);
    if a.nan || !a.has_numbers() {
        return any;
    }
    let (low, high) = (a.low.trunc(), a.high.trunc());
    // The limits are powers of two, and so exact.
    let limit = 2f64.powi(i32::from(width) - i32::from(is_signed));
    if high >= limit || is_signed && low < -limit || !is_signed && low <= -1.0 {
        return any;
    }
    if is_signed {
        Words::signed(width, low as i64, high as i64)
    } else {
        Words::unsigned(width, low as u64, (high as u64).min(most_of(width)))
    }
}
