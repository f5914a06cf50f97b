//! Exact floating-point arithmetic on the bits of a value, for all formats C has on x86: round to nearest, ties to even.
//!
//! Slow and simple: for constants, and as the reference. The formats are those of [`FloatKind`]; bits are the low ones of
//! a `u128` (32, 64, 80 or 128 of them).

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
    // The library wants an exponent in hexadecimal literals and digits before it; C guarantees both but for `.5` and `5.`.
    with_format!(kind, F => F::from_str_r(text, Round::NearestTiesToEven).ok().map(|parsed| parsed.value.to_bits()))
}

/// `value` rounded to the format; `unsigned` takes the 128 bits as an unsigned number.
pub fn from_int(value: i128, unsigned: bool, kind: FloatKind) -> u128 {
    with_format!(kind, F => {
        let rounded = if unsigned {
            F::from_u128_r(value as u128, Round::NearestTiesToEven)
        } else {
            F::from_i128_r(value, Round::NearestTiesToEven)
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
    if from == to {
        return bits;
    }
    with_format!(from, F => with_format!(to, G => {
        let mut loses = false;
        let converted: G = FloatConvert::<G>::convert(F::from_bits(bits), &mut loses).value;
        converted.to_bits()
    }))
}

pub fn negate(bits: u128, kind: FloatKind) -> u128 {
    with_format!(kind, F => (-F::from_bits(bits)).to_bits())
}

/// `+ - * /`; `None` for other operators.
pub fn arithmetic(op: BinaryOp, kind: FloatKind, a: u128, b: u128) -> Option<u128> {
    with_format!(kind, F => {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let result = match op {
            BinaryOp::Add => a.add_r(b, Round::NearestTiesToEven),
            BinaryOp::Sub => a.sub_r(b, Round::NearestTiesToEven),
            BinaryOp::Mul => a.mul_r(b, Round::NearestTiesToEven),
            BinaryOp::Div => a.div_r(b, Round::NearestTiesToEven),
            _ => return None,
        };
        Some(result.value.to_bits())
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
