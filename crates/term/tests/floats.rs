//! The float semantics against the processor's arithmetic, and against exact fractions where it has none.

mod common;

use common::{Random, random_value};
use dashu_int::IBig;
use dashu_int::ops::Abs;
use proptest::prelude::*;
use summa_term::{FloatSort, Op, Rounding, Sort, Terms, Value, soft_float};

fn random_bits(random: &mut Random, sort: FloatSort) -> u128 {
    match random_value(&Terms::new(), random, Sort::Float(sort)) {
        Value::Float(_, bits) => bits,
        other => panic!("{other:?}"),
    }
}

fn same64(bits: u128, expected: f64) -> bool {
    if expected.is_nan() {
        soft_float::is_nan(FloatSort::F64, bits)
    } else {
        bits == u128::from(expected.to_bits())
    }
}

fn same32(bits: u128, expected: f32) -> bool {
    if expected.is_nan() {
        soft_float::is_nan(FloatSort::F32, bits)
    } else {
        bits == u128::from(expected.to_bits())
    }
}

/// A finite value as `significand · 2^exponent`.
fn exact(sort: FloatSort, bits: u128) -> (IBig, i64) {
    let (exponent_bits, precision) = sort.shape();
    let bits = soft_float::to_smt_bits(sort, bits);
    let fraction_bits = precision - 1;
    let fraction = bits & ((1 << fraction_bits) - 1);
    let exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
    let negative = bits >> (fraction_bits + exponent_bits) & 1 == 1;
    let bias = (1i64 << (exponent_bits - 1)) - 1 + i64::from(fraction_bits);
    let (significand, exponent) = match exponent {
        0 => (fraction, 1 - bias),
        _ => (fraction | 1 << fraction_bits, exponent as i64 - bias),
    };
    let significand = IBig::from(significand);
    (if negative { -significand } else { significand }, exponent)
}

proptest! {
    #[test]
    fn doubles_are_those_of_the_processor(seed: u64) {
        let mut random = Random(seed);
        for _ in 0..50 {
            let (a, b) = (random_bits(&mut random, FloatSort::F64), random_bits(&mut random, FloatSort::F64));
            let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            let binary = |op| soft_float::binary(op, FloatSort::F64, a, b).unwrap();
            let unary = |op| soft_float::unary(op, FloatSort::F64, a).unwrap();
            prop_assert!(same64(binary(Op::FloatAdd), x + y), "{x:?} + {y:?}");
            prop_assert!(same64(binary(Op::FloatSub), x - y), "{x:?} - {y:?}");
            prop_assert!(same64(binary(Op::FloatMul), x * y), "{x:?} * {y:?}");
            prop_assert!(same64(binary(Op::FloatDiv), x / y), "{x:?} / {y:?}");
            prop_assert!(same64(unary(Op::FloatSqrt), x.sqrt()), "sqrt {x:?}");
            prop_assert!(same64(unary(Op::FloatNeg), -x));
            prop_assert!(same64(unary(Op::FloatAbs), x.abs()));
            let round = |rounding| unary(Op::FloatRoundToIntegral(rounding));
            prop_assert!(same64(round(Rounding::Down), x.floor()), "floor {x:?}");
            prop_assert!(same64(round(Rounding::Up), x.ceil()), "ceil {x:?}");
            prop_assert!(same64(round(Rounding::Zero), x.trunc()), "trunc {x:?}");
            prop_assert!(same64(round(Rounding::NearestAway), x.round()), "round {x:?}");
            prop_assert!(same64(round(Rounding::NearestEven), x.round_ties_even()), "rint {x:?}");
            prop_assert_eq!(soft_float::compare(FloatSort::F64, a, b), x.partial_cmp(&y));
            prop_assert!(same32(soft_float::convert(FloatSort::F64, FloatSort::F32, a), x as f32), "{x:?}");
            let (long, ulong) = (random.bits() as i64, random.bits() as u64);
            prop_assert!(same64(soft_float::from_signed(FloatSort::F64, i128::from(long)), long as f64));
            prop_assert!(same64(soft_float::from_unsigned(FloatSort::F64, u128::from(ulong)), ulong as f64));
            // 2^63 is a double, the largest number below it is 2^63 - 1024.
            let fits = x >= i64::MIN as f64 && x < -(i64::MIN as f64);
            let truncated = soft_float::to_int(FloatSort::F64, a, 64, true);
            prop_assert_eq!(truncated, fits.then_some(u128::from(x as i64 as u64)), "{:?}", x);
        }
    }

    #[test]
    fn floats_are_those_of_the_processor(seed: u64) {
        let mut random = Random(seed);
        for _ in 0..50 {
            let (a, b) = (random_bits(&mut random, FloatSort::F32), random_bits(&mut random, FloatSort::F32));
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let binary = |op| soft_float::binary(op, FloatSort::F32, a, b).unwrap();
            prop_assert!(same32(binary(Op::FloatAdd), x + y));
            prop_assert!(same32(binary(Op::FloatMul), x * y));
            prop_assert!(same32(binary(Op::FloatDiv), x / y));
            prop_assert!(same32(soft_float::unary(Op::FloatSqrt, FloatSort::F32, a).unwrap(), x.sqrt()));
            prop_assert!(same64(soft_float::convert(FloatSort::F32, FloatSort::F64, a), f64::from(x)));
        }
    }

    /// The remainder r of x by y: r = x - n·y with an integer n, |r| <= |y|/2, and n even if |r| = |y|/2.
    #[test]
    fn remainders_are_exact(seed: u64) {
        let mut random = Random(seed);
        for sort in [FloatSort::F32, FloatSort::F80] {
            let (a, b) = (random_bits(&mut random, sort), random_bits(&mut random, sort));
            let finite = |bits| !soft_float::is_nan(sort, bits) && !soft_float::is_infinite(sort, bits);
            let is_zero = |bits| soft_float::compare(sort, bits, 0) == Some(std::cmp::Ordering::Equal);
            let result = soft_float::binary(Op::FloatRem, sort, a, b).unwrap();
            if !finite(a) || soft_float::is_nan(sort, b) || is_zero(b) {
                prop_assert!(soft_float::is_nan(sort, result));
                continue;
            }
            if !finite(b) {
                prop_assert_eq!(result, a);
                continue;
            }
            let parts = [exact(sort, a), exact(sort, b), exact(sort, result)];
            let lowest = parts.iter().map(|(_, exponent)| *exponent).min().unwrap();
            let [x, y, r] = parts.map(|(significand, exponent)| significand << (exponent - lowest) as usize);
            let whole = &x - &r;
            prop_assert!((&whole % &y).is_zero(), "{:x} {:x} {:x}", a, b, result);
            let double = (&r).abs() * IBig::from(2);
            prop_assert!(double <= (&y).abs(), "{:x} {:x} {:x}", a, b, result);
            if double == (&y).abs() {
                prop_assert!((whole / y % IBig::from(2)).is_zero(), "{:x} {:x} {:x}", a, b, result);
            }
        }
    }

    /// s is the root of x rounded to nearest: (s - ulp/2)² <= x <= (s + ulp/2)², exactly.
    #[test]
    fn roots_are_nearest(seed: u64) {
        let mut random = Random(seed);
        for sort in [FloatSort::F32, FloatSort::F64, FloatSort::F80, FloatSort::F128] {
            let a = soft_float::unary(Op::FloatAbs, sort, random_bits(&mut random, sort)).unwrap();
            if soft_float::is_nan(sort, a) || soft_float::is_infinite(sort, a) || a == 0 {
                continue;
            }
            let root = soft_float::unary(Op::FloatSqrt, sort, a).unwrap();
            let ((x, e), (s, f)) = (exact(sort, a), exact(sort, root));
            // Everything in units of 2^(2f - 2): then half an ulp of s is 1.
            let unit = 2 * f - 2;
            let s = s * IBig::from(2);
            let scale = |value: IBig, exponent: i64| value << exponent as usize;
            let shift = (e - unit).min(0);
            let x = scale(x, e - unit - shift);
            let square = |n: IBig| scale(&n * &n, -shift);
            prop_assert!(square(&s - IBig::ONE) <= x && x <= square(s + IBig::ONE), "{sort:?} {a:x} \
                {root:x}");
        }
    }
}
