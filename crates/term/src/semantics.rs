//! What every operator computes from the values of its arguments: the one definition that evaluation and
//! tests use.

use crate::kind::Op;
use crate::sort::Sort;
use crate::value::{ArrayValue, Value};
use crate::{bits, soft_float};
use dashu_int::IBig;
use dashu_int::ops::{DivEuclid, RemEuclid};
use std::sync::Arc;

/// The value of `op(args)`, a term of this sort. `None` where the operator may be anything: division of
/// integers by zero, conversion of floats that do not fit; and for uninterpreted functions.
pub fn apply(op: Op, sort: Sort, args: &[Value]) -> Option<Value> {
    use Value::{Array, Bool, Bv, Float, Int};
    Some(match (op, args) {
        (Op::Not, [Bool(a)]) => Bool(!a),
        (Op::And, _) => Bool(all(args, true)?),
        (Op::Or, _) => Bool(!all(args, false)?),
        (Op::Ite, [Bool(c), a, b]) => {
            if *c {
                a.clone()
            } else {
                b.clone()
            }
        }
        (Op::Eq, [a, b]) => Bool(a.same(b)),

        (Op::Add, _) => Int(args.iter().try_fold(IBig::ZERO, |sum, arg| Some(sum + arg.as_int()?))?),
        (Op::Mul, [Int(a), Int(b)]) => Int(a * b),
        (Op::Div, [Int(a), Int(b)]) if !b.is_zero() => Int(a.div_euclid(b)),
        (Op::Mod, [Int(a), Int(b)]) if !b.is_zero() => Int(a.rem_euclid(b).into()),
        (Op::Le, [Int(a), Int(b)]) => Bool(a <= b),
        (Op::Lt, [Int(a), Int(b)]) => Bool(a < b),

        (Op::BvNot, [Bv(width, a)]) => Bv(*width, bits::not(*width, *a)),
        (Op::BvNeg, [Bv(width, a)]) => Bv(*width, bits::neg(*width, *a)),
        (Op::BvConcat, [Bv(high_width, a), Bv(low_width, b)]) => {
            Bv(high_width + low_width, bits::concat(*low_width, *a, *b))
        }
        (Op::BvExtract { hi, lo }, [Bv(_, a)]) => Bv(hi - lo + 1, bits::extract(hi, lo, *a)),
        (Op::BvZeroExtend, [Bv(_, a)]) => Bv(width_of(sort)?, *a),
        (Op::BvSignExtend, [Bv(from, a)]) => {
            Bv(width_of(sort)?, bits::sign_extend(*from, width_of(sort)?, *a))
        }
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, [Bv(width, a), Bv(_, b)]) => {
            Bool(bits::compare(op, *width, *a, *b)?)
        }
        (_, [Bv(width, a), Bv(_, b)]) => Bv(*width, bits::binary(op, *width, *a, *b)?),

        (Op::FloatEq, [Float(sort, a), Float(_, b)]) => {
            Bool(soft_float::compare(*sort, *a, *b).is_some_and(|order| order.is_eq()))
        }
        (Op::FloatLt, [Float(sort, a), Float(_, b)]) => {
            Bool(soft_float::compare(*sort, *a, *b).is_some_and(|order| order.is_lt()))
        }
        (Op::FloatLe, [Float(sort, a), Float(_, b)]) => {
            Bool(soft_float::compare(*sort, *a, *b).is_some_and(|order| order.is_le()))
        }
        (Op::FloatIsNan, [Float(sort, a)]) => Bool(soft_float::is_nan(*sort, *a)),
        (Op::FloatIsInf, [Float(sort, a)]) => Bool(soft_float::is_infinite(*sort, *a)),
        (Op::FloatIsNegative, [Float(sort, a)]) => Bool(soft_float::is_negative(*sort, *a)),
        (Op::FloatToFloat, [Float(from, a)]) => {
            let Sort::Float(to) = sort else { return None };
            Float(to, soft_float::convert(*from, to, *a))
        }
        (Op::FloatFromSbv, [Bv(width, a)]) => {
            let Sort::Float(to) = sort else { return None };
            Float(to, soft_float::from_signed(to, bits::to_signed(*width, *a)))
        }
        (Op::FloatFromUbv, [Bv(_, a)]) => {
            let Sort::Float(to) = sort else { return None };
            Float(to, soft_float::from_unsigned(to, *a))
        }
        (Op::FloatFromBits, [Bv(_, a)]) => {
            let Sort::Float(to) = sort else { return None };
            Float(to, soft_float::from_smt_bits(to, *a))
        }
        (Op::FloatToSbv | Op::FloatToUbv, [Float(from, a)]) => {
            let width = width_of(sort)?;
            Bv(width, soft_float::to_int(*from, *a, width, op == Op::FloatToSbv)?)
        }
        (_, [Float(sort, a), Float(_, b)]) => Float(*sort, soft_float::binary(op, *sort, *a, *b)?),
        (_, [Float(sort, a)]) => Float(*sort, soft_float::unary(op, *sort, *a)?),

        (Op::Select, [Array(array), index]) => array.get(index).clone(),
        (Op::Store, [Array(array), index, value]) => {
            let mut changed = ArrayValue::clone(array);
            changed.set(index.clone(), value.clone());
            Array(Arc::new(changed))
        }
        (Op::ConstArray, [value]) => Array(Arc::new(ArrayValue::new(value.clone(), []))),
        _ => return None,
    })
}

/// Are all these truth values `expected`?
fn all(args: &[Value], expected: bool) -> Option<bool> {
    args.iter().try_fold(true, |sofar, arg| Some(sofar && arg.as_bool()? == expected))
}

fn width_of(sort: Sort) -> Option<u8> {
    match sort {
        Sort::Bv(width) => Some(width),
        _ => None,
    }
}
