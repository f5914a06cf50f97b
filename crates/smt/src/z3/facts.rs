//! What holds of hard operations for all arguments, where it is cheap to say: facts for questions in outline.
//!
//! Each fact is a theorem about its operation in SMT-LIB's meaning; `tests` compare all of them with the
//! operations themselves. For floats they say exactly when a result is no number, and how it compares with
//! its arguments: rounding is monotone, so what holds of real numbers and compares with something
//! representable holds of rounded ones.

use summa_term::{Op, Term, Terms, soft_float};

/// Facts about `symbol = op(args)`.
pub(super) fn facts(terms: &mut Terms, op: Op, args: &[Term], symbol: Term) -> Vec<Term> {
    match (op, args) {
        (Op::BvUrem, &[a, b]) => {
            let smaller = terms.bv_ult(symbol, b);
            let zero = is_zero_bits(terms, b);
            vec![terms.bv_ule(symbol, a), terms.or2(zero, smaller)]
        }
        (Op::BvUdiv, &[a, b]) => {
            let smaller = terms.bv_ule(symbol, a);
            let zero = is_zero_bits(terms, b);
            vec![terms.or2(zero, smaller)]
        }
        (Op::Mod, &[_, b]) => {
            let zero = terms.int(0);
            let (is_zero, below, minus) = (terms.eq(b, zero), terms.lt(symbol, b), terms.neg(b));
            let (from, below_minus) = (terms.le(zero, symbol), terms.lt(symbol, minus));
            let below = terms.or2(below, below_minus);
            vec![terms.or2(is_zero, from), terms.or2(is_zero, below)]
        }
        (Op::FloatFromSbv, &[a]) => {
            let zero = terms.zero_of(a);
            let negative = zero.map_or(Terms::FALSE, |zero| terms.bv_slt(a, zero));
            let is_negative = terms.float_is_negative(symbol);
            let mut facts = finite(terms, symbol);
            facts.push(terms.iff(is_negative, negative));
            facts
        }
        // 2^128 - 1 is infinite as a `float`.
        (Op::FloatFromUbv, &[a]) if terms.bv_width(a) < 128 => {
            let is_negative = terms.float_is_negative(symbol);
            let mut facts = finite(terms, symbol);
            facts.push(terms.not(is_negative));
            facts
        }
        (Op::FloatToFloat, &[a]) => like_its_argument(terms, a, symbol),
        (Op::FloatRoundToIntegral(_), &[a]) => {
            let (infinite, is_infinite) = (terms.float_is_inf(a), terms.float_is_inf(symbol));
            let mut facts = like_its_argument(terms, a, symbol);
            facts.push(terms.iff(infinite, is_infinite));
            facts
        }
        (Op::FloatAdd, &[a, b]) => sum(terms, a, b, symbol, false),
        (Op::FloatSub, &[a, b]) => sum(terms, a, b, symbol, true),
        (Op::FloatMul, &[a, b]) => {
            let sides = [(Side::Zero, Side::Infinite), (Side::Infinite, Side::Zero)];
            let mut facts = product(terms, a, b, symbol, sides);
            facts.extend(scaled(terms, a, b, symbol));
            facts.extend(scaled(terms, b, a, symbol));
            facts
        }
        (Op::FloatDiv, &[a, b]) => {
            product(terms, a, b, symbol, [(Side::Zero, Side::Zero), (Side::Infinite, Side::Infinite)])
        }
        (Op::FloatSqrt, &[a]) => {
            let (nan, is_nan) = (terms.float_is_nan(a), terms.float_is_nan(symbol));
            let zero = terms.zero_of(a).unwrap_or(a);
            let (below, is_below) = (terms.float_lt(a, zero), terms.float_lt(symbol, zero));
            let nan = terms.or2(nan, below);
            vec![terms.iff(is_nan, nan), terms.not(is_below)]
        }
        _ => Vec::new(),
    }
}

fn is_zero_bits(terms: &mut Terms, a: Term) -> Term {
    terms.zero_of(a).map_or(Terms::FALSE, |zero| terms.eq(a, zero))
}

/// A converted integer of up to 127 bits is not too large for any format.
fn finite(terms: &mut Terms, symbol: Term) -> Vec<Term> {
    let (nan, infinite) = (terms.float_is_nan(symbol), terms.float_is_inf(symbol));
    vec![terms.not(nan), terms.not(infinite)]
}

/// The same sign, and a number if the argument is one.
fn like_its_argument(terms: &mut Terms, a: Term, symbol: Term) -> Vec<Term> {
    let (nan, is_nan) = (terms.float_is_nan(a), terms.float_is_nan(symbol));
    let (negative, is_negative) = (terms.float_is_negative(a), terms.float_is_negative(symbol));
    let same = terms.iff(negative, is_negative);
    vec![terms.iff(nan, is_nan), terms.or2(nan, same)]
}

/// `a + b` or `a - b`.
fn sum(terms: &mut Terms, a: Term, b: Term, symbol: Term, minus: bool) -> Vec<Term> {
    let b = if minus { terms.float_neg(b) } else { b };
    let (a_nan, b_nan, is_nan) = (terms.float_is_nan(a), terms.float_is_nan(b), terms.float_is_nan(symbol));
    let (a_infinite, b_infinite) = (terms.float_is_inf(a), terms.float_is_inf(b));
    let (a_negative, b_negative) = (terms.float_is_negative(a), terms.float_is_negative(b));
    let same_sign = terms.iff(a_negative, b_negative);
    let opposite = terms.not(same_sign);
    let cancel = terms.and(&[a_infinite, b_infinite, opposite]);
    let nan = terms.or(&[a_nan, b_nan, cancel]);
    let mut facts = vec![terms.iff(is_nan, nan)];
    for (x, y) in [(a, b), (b, a)] {
        let zero = terms.zero_of(y).unwrap_or(y);
        let (from_zero, to_zero) = (terms.float_le(zero, y), terms.float_le(y, zero));
        let (up, down) = (terms.float_le(x, symbol), terms.float_le(symbol, x));
        for (premise, conclusion) in [(from_zero, up), (to_zero, down)] {
            let premise = terms.not(premise);
            facts.push(terms.or(&[is_nan, premise, conclusion]));
        }
    }
    facts
}

#[derive(Clone, Copy)]
enum Side {
    Zero,
    Infinite,
}

/// `a * b` or `a / b`: no number from these sides; otherwise the sign is that of the product.
fn product(terms: &mut Terms, a: Term, b: Term, symbol: Term, none: [(Side, Side); 2]) -> Vec<Term> {
    let (a_nan, b_nan, is_nan) = (terms.float_is_nan(a), terms.float_is_nan(b), terms.float_is_nan(symbol));
    let mut on = |side: Side, x: Term| match side {
        Side::Infinite => terms.float_is_inf(x),
        Side::Zero => {
            let zero = terms.zero_of(x).unwrap_or(x);
            terms.float_eq(x, zero)
        }
    };
    let none = none.map(|(left, right)| (on(left, a), on(right, b)));
    let none = none.map(|(left, right)| terms.and2(left, right));
    let nan = terms.or(&[a_nan, b_nan, none[0], none[1]]);
    let negative = [a, b, symbol].map(|x| terms.float_is_negative(x));
    let same = terms.iff(negative[0], negative[1]);
    let sign = terms.iff(negative[2], same);
    let sign = terms.not(sign);
    vec![terms.iff(is_nan, nan), terms.or2(is_nan, sign)]
}

/// `|b| <= 1` makes `|a * b|` no larger than `|a|`, `|b| >= 1` no smaller.
fn scaled(terms: &mut Terms, a: Term, b: Term, symbol: Term) -> Vec<Term> {
    let sort = terms.float_sort(b);
    let one = terms.float(sort, soft_float::from_signed(sort, 1));
    let [size_a, size_b, size] = [a, b, symbol].map(|x| terms.float_abs(x));
    let is_nan = terms.float_is_nan(symbol);
    let (small, large) = (terms.float_le(size_b, one), terms.float_le(one, size_b));
    let (down, up) = (terms.float_le(size, size_a), terms.float_le(size_a, size));
    [(small, down), (large, up)]
        .map(|(premise, conclusion)| {
            let premise = terms.not(premise);
            terms.or(&[is_nan, premise, conclusion])
        })
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;
    use summa_term::{FloatSort, Rounding, Sort, Value, semantics};

    /// Numbers where formats and operations have their corners, of a width.
    fn interesting(width: u8) -> Vec<u128> {
        let top = 1u128 << (width - 1);
        let mask = top | (top - 1);
        let small = [0u128, 1, 2, 3, 7, 10].into_iter();
        small.flat_map(|n| [n, n.wrapping_neg() & mask, (top + n) & mask, ((top >> 1) + n) & mask]).collect()
    }

    fn floats(sort: FloatSort) -> Vec<u128> {
        let (exponent, significand) = sort.shape();
        let fraction = significand - 1;
        let largest = (1u128 << exponent) - 1;
        let middle = largest >> 1;
        let mut all = Vec::new();
        for e in [0, 1, middle - 1, middle, middle + 1, middle + 5, largest - 1, largest] {
            for f in [0, 1, 1 << (fraction - 1), (1 << fraction) - 1] {
                for sign in [0u128, 1] {
                    all.push(soft_float::from_smt_bits(sort, (((sign << exponent) | e) << fraction) | f));
                }
            }
        }
        all
    }

    fn values(sort: Sort) -> Vec<Value> {
        match sort {
            Sort::Bv(width) => interesting(width).into_iter().map(|bits| Value::Bv(width, bits)).collect(),
            Sort::Float(float) => floats(float).into_iter().map(|bits| Value::float(float, bits)).collect(),
            _ => (-5..6).map(|n: i32| Value::Int(n.into())).collect(),
        }
    }

    /// Every fact holds for all these arguments.
    fn hold(op: Op, args: &[Sort], result: Sort) {
        let mut terms = Terms::new();
        let names: Vec<_> =
            args.iter().enumerate().map(|(i, &sort)| terms.declare(&format!("a{i}"), sort)).collect();
        let symbols: Vec<Term> = names.iter().map(|&name| terms.symbol(name, 0)).collect();
        let name = terms.declare("result", result);
        let symbol = terms.symbol(name, 0);
        let facts = facts(&mut terms, op, &symbols, symbol);
        assert!(!facts.is_empty(), "{op:?} has facts");
        let second = args.get(1).map_or_else(|| vec![None], |&s| values(s).into_iter().map(Some).collect());
        for a in values(args[0]) {
            for b in &second {
                let given: Vec<Value> = [Some(a.clone()), b.clone()].into_iter().flatten().collect();
                let Some(value) = semantics::apply(op, result, &given) else { continue };
                let mut model = Model::new();
                for (&name, value) in names.iter().zip(&given) {
                    model.set(name, 0, value.clone());
                }
                model.set(name, 0, value.clone());
                for &fact in &facts {
                    assert_eq!(model.is_true(&terms, fact), Some(true), "{op:?} {given:?} = {value:?}");
                }
            }
        }
    }

    #[test]
    fn facts_hold_for_all_arguments() {
        for width in [8, 32] {
            let bits = Sort::Bv(width);
            hold(Op::BvUrem, &[bits, bits], bits);
            hold(Op::BvUdiv, &[bits, bits], bits);
        }
        hold(Op::Mod, &[Sort::Int, Sort::Int], Sort::Int);
        for sort in [FloatSort::F32, FloatSort::F64, FloatSort::F80, FloatSort::F128] {
            let float = Sort::Float(sort);
            for op in [Op::FloatAdd, Op::FloatSub, Op::FloatMul, Op::FloatDiv] {
                hold(op, &[float, float], float);
            }
            hold(Op::FloatSqrt, &[float], float);
            for rounding in [Rounding::NearestEven, Rounding::NearestAway, Rounding::Down, Rounding::Up] {
                hold(Op::FloatRoundToIntegral(rounding), &[float], float);
            }
            for to in [FloatSort::F32, FloatSort::F64, FloatSort::F80] {
                hold(Op::FloatToFloat, &[float], Sort::Float(to));
            }
            for width in [8, 32, 64, 127, 128] {
                hold(Op::FloatFromSbv, &[Sort::Bv(width)], float);
            }
            for width in [8, 32, 64, 127] {
                hold(Op::FloatFromUbv, &[Sort::Bv(width)], float);
            }
        }
    }
}
