//! Floating-point functions. Those with an exact definition are exact in every format; the others use the
//! host's library for `float` and `double`, and are not supported for wider formats.

use super::Args;
use crate::bytecode::ValueShape;
use crate::machine::{Flow, Machine};
use crate::scalar::{Scalar, convert};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, Round};
use summa_c::float::{self, Direction};
use summa_c::tree::BinaryOp;
use summa_cfa::library::{Math, Rounded};

impl Machine<'_> {
    pub(super) fn math(&mut self, function: Math, args: &Args<'_>, result: Option<ValueShape>) -> Flow<u128> {
        let kind = args.kind(0);
        let (x, y) = (args.bits(0), if args.len() > 1 { args.as_kind(1, kind) } else { 0 });
        if let Some(value) = classify(function, kind, x) {
            return Ok(value);
        }
        if function == Math::Modf {
            let whole = exact(Math::Trunc, kind, x, 0).unwrap_or(x);
            self.write(args.address(1), kind, whole)?;
            let infinite = classify(Math::Isinf, kind, x) == Some(1);
            let part = if infinite { exact_zero(kind) } else { subtract(kind, x, whole) };
            return Ok(exact(Math::Copysign, kind, part, x).unwrap_or(part));
        }
        if function == Math::Frexp {
            let Some(format) = kind.float_kind() else { return Ok(x) };
            let (fraction, exponent) = float::split(format, x);
            self.write(args.address(1), Scalar::I32, Scalar::I32.from_int(exponent.into()))?;
            return Ok(fraction);
        }
        if let Some(value) = scaled(function, kind, x, args) {
            return Ok(value);
        }
        let rounding = match function {
            Math::Lround | Math::Llround => Some(Math::Round),
            Math::Lrint | Math::Llrint => Some(Math::Rint),
            _ => None,
        };
        if let Some(rounding) = rounding {
            let whole = exact(rounding, kind, x, 0).unwrap_or(x);
            let to = match result {
                Some(ValueShape::Scalar(to)) => to,
                _ => Scalar::I64,
            };
            return Ok(convert(kind, to, whole));
        }
        if function == Math::Fma
            && let Some(format) = kind.float_kind()
        {
            return Ok(float::fused(Direction::Nearest, format, x, y, args.as_kind(2, kind)));
        }
        if let Some(value) = exact(function, kind, x, y) {
            return Ok(value);
        }
        let value = match kind {
            Scalar::F32 => {
                let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
                host_f32(function, x, y).map(|value| u128::from(value.to_bits()))
            }
            Scalar::F64 => {
                let (x, y) = (f64::from_bits(x as u64), f64::from_bits(y as u64));
                host_f64(function, x, y).map(|value| u128::from(value.to_bits()))
            }
            _ => None,
        };
        value.ok_or_else(|| self.unsupported(format!("`{function:?}` on `long double` or `__float128`")))
    }

    /// An operation in the rounding mode that is the first argument.
    pub(super) fn rounded(
        &mut self,
        rounded: Rounded,
        args: &Args<'_>,
        result: Option<ValueShape>,
    ) -> Flow<u128> {
        let direction = Direction::of_number(args.int(0)).unwrap_or(Direction::Nearest);
        let (kind, x) = (args.kind(1), args.bits(1));
        let operator = |op| {
            let format = kind.float_kind()?;
            float::rounded(op, direction, format, x, args.as_kind(2, kind))
        };
        let value = match (rounded, kind.float_kind()) {
            (Rounded::Add, _) => operator(BinaryOp::Add),
            (Rounded::Sub, _) => operator(BinaryOp::Sub),
            (Rounded::Mul, _) => operator(BinaryOp::Mul),
            (Rounded::Div, _) => operator(BinaryOp::Div),
            (Rounded::Sqrt, Some(format)) => float::square_root(direction, format, x),
            (Rounded::Fma, Some(format)) => {
                Some(float::fused(direction, format, x, args.as_kind(2, kind), args.as_kind(3, kind)))
            }
            (Rounded::Integral, Some(format)) => Some(float::integral(direction, format, x)),
            (Rounded::Convert, source) => match result {
                Some(ValueShape::Scalar(to)) => to.float_kind().map(|format| match source {
                    Some(source) => float::convert_rounded(direction, x, source, format),
                    None => {
                        let is_unsigned = kind == Scalar::U128;
                        float::from_int_rounded(direction, args.int(1), is_unsigned, format)
                    }
                }),
                _ => None,
            },
            (Rounded::Sqrt | Rounded::Fma | Rounded::Integral, None) => None,
        };
        value.ok_or_else(|| self.unsupported(format!("`{rounded:?}` with a rounding mode in this format")))
    }
}

/// Functions about the exponent of a number.
fn scaled(function: Math, kind: Scalar, x: u128, args: &Args<'_>) -> Option<u128> {
    let format = kind.float_kind()?;
    Some(match function {
        Math::Ldexp => {
            let by = args.int(1).clamp(i128::from(i32::MIN) / 4, i128::from(i32::MAX) / 4);
            float::scale(format, x, by as i32)
        }
        Math::Ilogb => Scalar::I32.from_int(float::exponent(format, x).into()),
        Math::Logb => float::exponent_as_float(format, x),
        Math::Nextafter => float::next_after(format, x, args.as_kind(1, kind)),
        _ => return None,
    })
}

macro_rules! host {
    ($name:ident, $float:ty) => {
        fn $name(function: Math, x: $float, y: $float) -> Option<$float> {
            Some(match function {
                Math::Sqrt => x.sqrt(),
                Math::Sin => x.sin(),
                Math::Cos => x.cos(),
                Math::Tan => x.tan(),
                Math::Asin => x.asin(),
                Math::Acos => x.acos(),
                Math::Atan => x.atan(),
                Math::Atan2 => x.atan2(y),
                Math::Sinh => x.sinh(),
                Math::Cosh => x.cosh(),
                Math::Tanh => x.tanh(),
                Math::Exp => x.exp(),
                Math::Exp2 => x.exp2(),
                Math::Log => x.ln(),
                Math::Log2 => x.log2(),
                Math::Log10 => x.log10(),
                Math::Pow => x.powf(y),
                Math::Cbrt => x.cbrt(),
                Math::Hypot => x.hypot(y),
                Math::Expm1 => x.exp_m1(),
                Math::Log1p => x.ln_1p(),
                _ => return None,
            })
        }
    };
}
host!(host_f32, f32);
host!(host_f64, f64);

/// Questions about a float; the answer is an `int`.
fn classify(function: Math, kind: Scalar, x: u128) -> Option<u128> {
    fn answer<F: Float>(function: Math, x: F) -> Option<u128> {
        Some(match function {
            Math::Isnan => x.is_nan().into(),
            Math::Isinf => x.is_infinite().into(),
            Math::IsinfSign if x.is_infinite() && x.is_negative() => Scalar::I32.from_int(-1),
            Math::IsinfSign => x.is_infinite().into(),
            Math::Isfinite => x.is_finite().into(),
            Math::Isnormal => x.is_normal().into(),
            Math::Signbit => x.is_negative().into(),
            // FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL.
            Math::Fpclassify if x.is_nan() => 0,
            Math::Fpclassify if x.is_infinite() => 1,
            Math::Fpclassify if x.is_zero() => 2,
            Math::Fpclassify if x.is_denormal() => 3,
            Math::Fpclassify => 4,
            _ => return None,
        })
    }
    match kind {
        Scalar::F32 => answer(function, Single::from_bits(x)),
        Scalar::F64 => answer(function, Double::from_bits(x)),
        Scalar::X87 => answer(function, X87DoubleExtended::from_bits(x)),
        Scalar::Quad => answer(function, Quad::from_bits(x)),
        _ => None,
    }
}

/// Functions whose result the standard defines exactly.
fn exact(function: Math, kind: Scalar, x: u128, y: u128) -> Option<u128> {
    fn compute<F: Float>(function: Math, x: F, y: F) -> Option<F> {
        let rounded = |round: Round| x.round_to_integral(round).value;
        Some(match function {
            Math::Fabs => x.abs(),
            Math::Copysign => x.copy_sign(y),
            Math::Floor => rounded(Round::TowardNegative),
            Math::Ceil => rounded(Round::TowardPositive),
            Math::Trunc => rounded(Round::TowardZero),
            Math::Round => rounded(Round::NearestTiesToAway),
            Math::Rint | Math::Nearbyint => rounded(Round::NearestTiesToEven),
            Math::Fmod => x.c_fmod(y).value,
            Math::Remainder => x.ieee_rem(y).value,
            Math::Fmin if x.is_nan() => y,
            Math::Fmin if y.is_nan() || x <= y => x,
            Math::Fmin => y,
            Math::Fmax if x.is_nan() => y,
            Math::Fmax if y.is_nan() || x >= y => x,
            Math::Fmax => y,
            Math::Fdim if x.is_nan() => x,
            Math::Fdim if y.is_nan() => y,
            Math::Fdim if x > y => (x - y).value,
            Math::Fdim => F::ZERO,
            _ => return None,
        })
    }
    Some(match kind {
        Scalar::F32 => compute(function, Single::from_bits(x), Single::from_bits(y))?.to_bits(),
        Scalar::F64 => compute(function, Double::from_bits(x), Double::from_bits(y))?.to_bits(),
        Scalar::X87 => {
            compute(function, X87DoubleExtended::from_bits(x), X87DoubleExtended::from_bits(y))?.to_bits()
        }
        Scalar::Quad => compute(function, Quad::from_bits(x), Quad::from_bits(y))?.to_bits(),
        _ => return None,
    })
}

fn exact_zero(kind: Scalar) -> u128 {
    convert(Scalar::I32, kind, 0)
}

fn subtract(kind: Scalar, x: u128, y: u128) -> u128 {
    let difference = kind.float_kind().and_then(|format| float::arithmetic(BinaryOp::Sub, format, x, y));
    difference.unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(function: Math, x: f64, y: f64) -> f64 {
        let bits = exact(function, Scalar::F64, x.to_bits().into(), y.to_bits().into()).unwrap();
        f64::from_bits(bits as u64)
    }

    #[test]
    fn exact_functions_agree_with_the_host() {
        for x in [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -2.5, 1e18, 0.49999999999999994, -7.9, f64::INFINITY] {
            assert_eq!(on(Math::Floor, x, 0.0).to_bits(), x.floor().to_bits(), "floor {x}");
            assert_eq!(on(Math::Ceil, x, 0.0).to_bits(), x.ceil().to_bits(), "ceil {x}");
            assert_eq!(on(Math::Round, x, 0.0).to_bits(), x.round().to_bits(), "round {x}");
            assert_eq!(on(Math::Rint, x, 0.0).to_bits(), x.round_ties_even().to_bits(), "rint {x}");
            for y in [1.0, 0.3, -2.0, 7.5] {
                let (ours, host) = (on(Math::Fmod, x, y), x % y);
                assert!(ours.to_bits() == host.to_bits() || ours.is_nan() && host.is_nan(), "fmod {x} {y}");
            }
        }
        assert_eq!(on(Math::Remainder, 5.0, 3.0), -1.0);
        assert_eq!(on(Math::Fmin, f64::NAN, 3.0), 3.0);
        assert_eq!(on(Math::Fdim, 5.0, 3.0), 2.0);
        assert_eq!(on(Math::Fdim, 3.0, 5.0), 0.0);
    }

    #[test]
    fn classes() {
        let of = |x: f64| classify(Math::Fpclassify, Scalar::F64, x.to_bits().into());
        assert_eq!(
            [of(f64::NAN), of(f64::INFINITY), of(0.0), of(5e-324), of(1.0)].map(Option::unwrap),
            [0, 1, 2, 3, 4]
        );
        let minus_infinity = classify(Math::IsinfSign, Scalar::F64, f64::NEG_INFINITY.to_bits().into());
        assert_eq!(minus_infinity, Some(u128::from(-1i64 as u64)));
    }
}
