//! Exact floating-point arithmetic on the bits of a value, for all formats C has on x86: rounded to nearest,
//! ties to even, unless a direction is given.
//!
//! Slow and simple: for constants, and as the reference. The formats are those of [`FloatKind`]; bits are the
//! low ones of a `u128` (32, 64, 80 or 128 of them).

use crate::tree::BinaryOp;
use crate::types::FloatKind;
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

/// Runs `$body` with `$F` standing for the format of `$kind`.
macro_rules! with_format {
    ($kind:expr, $F:ident => $body:expr) => {
        match $kind {
            FloatKind::Float => {
                type $F = Single;
                $body
            }
            FloatKind::Double => {
                type $F = Double;
                $body
            }
            FloatKind::LongDouble => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::Float128 => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// The value of a decimal or hexadecimal literal without suffix.
pub fn parse(text: &str, kind: FloatKind) -> Option<u128> {
    // The library requires an exponent in hexadecimal literals, and digits before it. C guarantees both,
    // except for `.5` and `5.`.
    with_format!(kind, F => {
        let parsed = F::from_str_r(text, Round::NearestTiesToEven).ok();
        parsed.map(|parsed| parsed.value.to_bits())
    })
}

/// The rounding modes of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Nearest,
    Down,
    Up,
    Zero,
}

impl Direction {
    pub const ALL: [Self; 4] = [Self::Nearest, Self::Down, Self::Up, Self::Zero];

    /// The number that `<fenv.h>` has for it on x86.
    pub fn number(self) -> i128 {
        match self {
            Self::Nearest => 0,
            Self::Down => 0x400,
            Self::Up => 0x800,
            Self::Zero => 0xc00,
        }
    }

    /// The mode with this number.
    pub fn of_number(number: i128) -> Option<Self> {
        Self::ALL.into_iter().find(|direction| direction.number() == number)
    }

    fn round(self) -> Round {
        match self {
            Self::Nearest => Round::NearestTiesToEven,
            Self::Down => Round::TowardNegative,
            Self::Up => Round::TowardPositive,
            Self::Zero => Round::TowardZero,
        }
    }
}

/// `value` rounded to the format; `unsigned` takes the 128 bits as an unsigned number.
pub fn from_int(value: i128, unsigned: bool, kind: FloatKind) -> u128 {
    from_int_rounded(Direction::Nearest, value, unsigned, kind)
}

pub fn from_int_rounded(direction: Direction, value: i128, unsigned: bool, kind: FloatKind) -> u128 {
    with_format!(kind, F => {
        let rounded = if unsigned {
            F::from_u128_r(value as u128, direction.round())
        } else {
            F::from_i128_r(value, direction.round())
        };
        rounded.value.to_bits()
    })
}

/// Truncation towards zero; `None` if the result does not fit (undefined in C).
pub fn to_int(bits: u128, kind: FloatKind, width: u32, signed: bool) -> Option<i128> {
    with_format!(kind, F => {
        let value = F::from_bits(bits);
        let mut exact = false;
        if signed {
            let result = value.to_i128_r(width as usize, Round::TowardZero, &mut exact);
            (!result.status.contains(Status::INVALID_OP)).then_some(result.value)
        } else {
            let result = value.to_u128_r(width as usize, Round::TowardZero, &mut exact);
            (!result.status.contains(Status::INVALID_OP)).then_some(result.value as i128)
        }
    })
}

/// Conversion between formats.
pub fn convert(bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    convert_rounded(Direction::Nearest, bits, from, to)
}

pub fn convert_rounded(direction: Direction, bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    if from == to {
        return bits;
    }
    with_format!(from, F => with_format!(to, G => {
        let mut loses = false;
        let converted = FloatConvert::<G>::convert_r(F::from_bits(bits), direction.round(), &mut loses);
        converted.value.to_bits()
    }))
}

pub fn negate(bits: u128, kind: FloatKind) -> u128 {
    with_format!(kind, F => (-F::from_bits(bits)).to_bits())
}

/// `+ - * /`; `None` for other operators.
pub fn arithmetic(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> Option<u128> {
    rounded(op, Direction::Nearest, kind, a, b)
}

/// The same, rounded in a direction.
pub fn rounded(op: BinaryOp, direction: Direction, kind: FloatKind, a: u128, b: u128) -> Option<u128> {
    let round = direction.round();
    with_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let result = match op {
            BinaryOp::Add => a.add_r(b, round),
            BinaryOp::Sub => a.sub_r(b, round),
            BinaryOp::Mul => a.mul_r(b, round),
            BinaryOp::Div => a.div_r(b, round),
            _ => return None,
        };
        Some(result.value.to_bits())
    })
}

/// `a · b + c` with one rounding.
pub fn fused(direction: Direction, kind: FloatKind, a: u128, b: u128, c: u128) -> u128 {
    with_format!(kind, F => {
        F::from_bits(a).mul_add_r(F::from_bits(b), F::from_bits(c), direction.round()).value.to_bits()
    })
}

/// Rounded to a whole number.
pub fn integral(direction: Direction, kind: FloatKind, a: u128) -> u128 {
    with_format!(kind, F => F::from_bits(a).round_to_integral(direction.round()).value.to_bits())
}

/// `a · 2^by`, rounded to nearest.
pub fn scale(kind: FloatKind, a: u128, by: i32) -> u128 {
    with_format!(kind, F => F::from_bits(a).scalbn_r(by, Round::NearestTiesToEven).to_bits())
}

/// `frexp`: a fraction of at least a half and less than one, and its exponent.
pub fn split(kind: FloatKind, a: u128) -> (u128, i32) {
    with_format!(kind, F => {
        let x = F::from_bits(a);
        if x.is_zero() || !x.is_finite() {
            (a, 0)
        } else {
            let exponent = x.ilogb() + 1;
            (x.scalbn(-exponent).to_bits(), exponent)
        }
    })
}

/// `ilogb`, with glibc's results for values without an exponent.
pub fn exponent(kind: FloatKind, a: u128) -> i32 {
    with_format!(kind, F => {
        let x = F::from_bits(a);
        match (x.is_zero() || x.is_nan(), x.is_infinite()) {
            (true, _) => i32::MIN,
            (_, true) => i32::MAX,
            _ => x.ilogb(),
        }
    })
}

/// `logb`
pub fn exponent_as_float(kind: FloatKind, a: u128) -> u128 {
    with_format!(kind, F => {
        let x = F::from_bits(a);
        if x.is_nan() {
            a
        } else if x.is_infinite() {
            x.abs().to_bits()
        } else if x.is_zero() {
            (-F::INFINITY).to_bits()
        } else {
            from_int(x.ilogb().into(), false, kind)
        }
    })
}

/// `nextafter`
pub fn next_after(kind: FloatKind, a: u128, towards: u128) -> u128 {
    with_format!(kind, F => {
        let (x, y) = (F::from_bits(a), F::from_bits(towards));
        if x.is_nan() {
            a
        } else if y.is_nan() || x == y {
            towards
        } else if x < y {
            x.next_up().value.to_bits()
        } else {
            x.next_down().value.to_bits()
        }
    })
}

/// The square root of a `float` or `double`; `None` for wider formats.
pub fn square_root(direction: Direction, kind: FloatKind, a: u128) -> Option<u128> {
    let wide = match kind {
        FloatKind::Float => FloatKind::Double,
        FloatKind::Double => FloatKind::Float128,
        FloatKind::LongDouble | FloatKind::Float128 => return None,
    };
    let nearest = match kind {
        FloatKind::Float => u128::from(f32::from_bits(a as u32).sqrt().to_bits()),
        _ => u128::from(f64::from_bits(a as u64).sqrt().to_bits()),
    };
    let widen = |bits: u128| convert(bits, kind, wide);
    // Twice the digits hold the square exactly; zeros, infinities and NaN are exact roots.
    let square = arithmetic(BinaryOp::Mul, wide, widen(nearest), widen(nearest))?;
    let below = compare(BinaryOp::Lt, wide, square, widen(a))?;
    let above = compare(BinaryOp::Gt, wide, square, widen(a))?;
    Some(match direction {
        Direction::Up if below => nearest + 1,
        Direction::Down | Direction::Zero if above => nearest - 1,
        _ => nearest,
    })
}

/// The six comparisons; `None` for other operators.
pub fn compare(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> Option<bool> {
    with_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        Some(match op {
            BinaryOp::Eq => a == b,
            BinaryOp::Ne => a != b,
            BinaryOp::Lt => a < b,
            BinaryOp::Le => a <= b,
            BinaryOp::Gt => a > b,
            BinaryOp::Ge => a >= b,
            _ => return None,
        })
    })
}

pub fn infinity(kind: FloatKind) -> u128 {
    with_format!(kind, F => F::INFINITY.to_bits())
}

pub fn nan(kind: FloatKind) -> u128 {
    with_format!(kind, F => F::NAN.to_bits())
}

/// Largest finite value.
pub fn largest(kind: FloatKind) -> u128 {
    with_format!(kind, F => F::largest().to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(x: f64) -> u128 {
        u128::from(x.to_bits())
    }

    #[test]
    fn literals_of_every_form() {
        for (text, value) in [
            ("1.5", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("1e3", 1e3),
            ("0x1.8p1", 3.0),
            ("0x.8p1", 1.0),
            ("1e-400", 0.0),
        ] {
            assert_eq!(parse(text, FloatKind::Double), Some(bits(value)), "{text}");
        }
        assert_eq!(parse("1e400", FloatKind::Double), Some(bits(f64::INFINITY)));
    }

    #[test]
    fn conversions_agree_with_the_host() {
        for x in [0.1, -3.99, 1e30, 16_777_217.0, f64::NAN, f64::INFINITY, -0.0, 5e-324] {
            let narrow = convert(bits(x), FloatKind::Double, FloatKind::Float);
            let host = x as f32;
            assert!(narrow == u128::from(host.to_bits()) || host.is_nan());
            let wide = convert(bits(x), FloatKind::Double, FloatKind::LongDouble);
            let back = convert(wide, FloatKind::LongDouble, FloatKind::Double);
            assert!(back == bits(x) || x.is_nan());
        }
        assert_eq!(to_int(bits(-3.99), FloatKind::Double, 32, true), Some(-3));
        assert_eq!(to_int(bits(1e10), FloatKind::Double, 32, true), None);
        assert_eq!(to_int(bits(-0.5), FloatKind::Double, 32, false), Some(0));
        assert_eq!(from_int(-1, true, FloatKind::Double), bits(u128::MAX as f64));
    }

    #[test]
    fn roots_in_all_directions_enclose_the_number() {
        let exactly =
            |direction, x: f64| square_root(direction, FloatKind::Double, bits(x)).map(|r| r as u64);
        for x in [2.0, 3.0, 0.1, 1e300, 1.5e-323, 1e-310, 7.25] {
            let (low, high) = (exactly(Direction::Down, x).unwrap(), exactly(Direction::Up, x).unwrap());
            assert!(high == low + 1, "{x}");
            assert!(f64::from_bits(low).mul_add(f64::from_bits(low), -x) <= 0.0, "{x}");
            assert_eq!(exactly(Direction::Zero, x), Some(low));
        }
        for x in [0.0, -0.0, 4.0, 5e-324, f64::INFINITY] {
            assert!(Direction::ALL.iter().all(|&d| exactly(d, x) == Some(x.sqrt().to_bits())), "{x}");
        }
    }

    #[test]
    fn comparisons_with_nan_are_false() {
        let (one, none) = (bits(1.0), nan(FloatKind::Double));
        assert_eq!(compare(BinaryOp::Lt, FloatKind::Double, one, none), Some(false));
        assert_eq!(compare(BinaryOp::Ne, FloatKind::Double, none, none), Some(true));
        assert_eq!(
            arithmetic(BinaryOp::Div, FloatKind::Double, one, bits(0.0)),
            Some(infinity(FloatKind::Double))
        );
    }
}
