//! Bit operations on mathematical integers.
//!
//! Exact: shifts by any amount (a case for each), and `& | ^` if one operand is a constant of few runs of
//! ones, a choice between such constants, or known to have few bits. Then only that many bits of the other
//! operand matter. For all other operations there are bounds: they hold for every result and often suffice
//! for a proof.

use super::integer::{Integers, constant, two_to};
use crate::arithmetic::Arithmetic;
use crate::shape::Shape;
use summa_c::tree::BinaryOp;
use summa_term::{Op, Term, Terms};

/// A mask with more runs of ones would make a term that solvers dislike.
const MAX_RUNS: usize = 6;
/// Operands with at most this many bits are treated bit by bit.
const MAX_BITS: u32 = 8;
/// Operands with at most this many values are treated value by value.
const MAX_VALUES: i128 = 4;
/// Nested choices between constants are followed so deep.
const MAX_CHOICES: u32 = 3;

impl Integers {
    /// The bits of a value as a non-negative number.
    pub(super) fn bits(&mut self, terms: &mut Terms, shape: Shape, a: Term) -> Term {
        self.wrap(terms, Shape::unsigned(shape.width), a)
    }

    /// Bits `from..upto` of a non-negative number of `width` bits, as a number.
    pub(super) fn slice(&mut self, terms: &mut Terms, bits: Term, from: u32, upto: u32, width: u32) -> Term {
        let divisor = two_to(terms, from);
        let shifted = terms.div(bits, divisor);
        if upto >= width {
            return shifted;
        }
        let modulus = two_to(terms, upto - from);
        terms.modulo(shifted, modulus)
    }

    // ---- shifts ----

    /// Amounts outside of the width are undefined; the machine takes them modulo the width.
    pub(super) fn shift(&mut self, terms: &mut Terms, op: BinaryOp, shape: Shape, a: Term, by: Term) -> Term {
        let most = i128::from(shape.width) - 1;
        let by = if self.is_within(terms, by, 0, most) {
            by
        } else {
            let width = terms.int(most + 1);
            terms.modulo(by, width)
        };
        let (first, last) = match self.bounds(terms, by) {
            Some((lo, hi)) => (lo.clamp(0, most) as u32, hi.clamp(0, most) as u32),
            None => (0, most as u32),
        };
        let mut result = self.shift_by(terms, op, shape, a, last);
        for amount in (first..last).rev() {
            let number = terms.int(amount);
            let (is_this, shifted) = (terms.eq(by, number), self.shift_by(terms, op, shape, a, amount));
            result = terms.ite(is_this, shifted, result);
        }
        result
    }

    fn shift_by(&mut self, terms: &mut Terms, op: BinaryOp, shape: Shape, a: Term, amount: u32) -> Term {
        let factor = two_to(terms, amount);
        if op == BinaryOp::Shr {
            // Rounds down: an arithmetic shift on negative numbers.
            return terms.div(a, factor);
        }
        let exact = terms.mul(a, factor);
        self.wrap(terms, shape, exact)
    }

    // ---- and, or, exclusive or ----

    /// `& | ^`, or None if there is no exact term of reasonable size.
    pub(super) fn bitwise(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        self.bitwise_choice(terms, op, shape, (a, b), MAX_CHOICES)
    }

    /// With operands that choose between two values: a case for each.
    fn bitwise_choice(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        (a, b): (Term, Term),
        depth: u32,
    ) -> Option<Term> {
        if let Some(result) = self.bitwise_plain(terms, op, shape, a, b) {
            return Some(result);
        }
        for (choice, other) in [(a, b), (b, a)] {
            let Some((Op::Ite, &[condition, then, otherwise])) = terms.as_app(choice) else { continue };
            if depth == 0 || !is_choice_of_constants(terms, choice, depth) {
                continue;
            }
            let then = self.bitwise_choice(terms, op, shape, (then, other), depth - 1)?;
            let otherwise = self.bitwise_choice(terms, op, shape, (otherwise, other), depth - 1)?;
            return Some(terms.ite(condition, then, otherwise));
        }
        [(a, b), (b, a)]
            .into_iter()
            .find_map(|(few, other)| self.bitwise_values(terms, op, shape, few, other))
    }

    /// With an operand that has few values, as `-(x > y)` has: a case for each.
    fn bitwise_values(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        few: Term,
        other: Term,
    ) -> Option<Term> {
        let (lo, hi) = self.bounds(terms, few)?;
        if hi.checked_sub(lo)? >= MAX_VALUES {
            return None;
        }
        let number = terms.int(hi);
        let mut result = self.bitwise_plain(terms, op, shape, number, other)?;
        for value in (lo..hi).rev() {
            let number = terms.int(value);
            let (is_this, case) =
                (terms.eq(few, number), self.bitwise_plain(terms, op, shape, number, other)?);
            result = terms.ite(is_this, case, result);
        }
        Some(result)
    }

    fn bitwise_plain(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        a: Term,
        b: Term,
    ) -> Option<Term> {
        if a == b {
            return Some(if op == BinaryOp::Xor { terms.int(0) } else { a });
        }
        if self.is_within(terms, a, 0, 1) && self.is_within(terms, b, 0, 1) {
            let one = terms.int(1);
            let (x, y) = (terms.eq(a, one), terms.eq(b, one));
            let holds = match op {
                BinaryOp::And => terms.and2(x, y),
                BinaryOp::Or => terms.or2(x, y),
                _ => terms.ne(a, b),
            };
            return Some(self.of_bool(terms, shape, holds));
        }
        let width = u32::from(shape.width);
        let (value, both) = match (constant(terms, a), constant(terms, b)) {
            (_, Some(_)) => (a, self.constant_and(terms, shape, a, b)?),
            (Some(_), _) => (b, self.constant_and(terms, shape, b, a)?),
            (None, None) => {
                let (few, other) = match (self.few_bits(terms, a), self.few_bits(terms, b)) {
                    (Some(m), Some(n)) if n < m => (b, a),
                    (Some(_), _) => (a, b),
                    (None, Some(_)) => (b, a),
                    (None, None) => return None,
                };
                let count = self.few_bits(terms, few)?.min(width);
                (other, self.and_of_few(terms, shape, few, other, count))
            }
        };
        let other = if value == a { b } else { a };
        let (x, y) = (self.bits(terms, shape, value), self.bits(terms, shape, other));
        let result = match op {
            BinaryOp::And => both,
            BinaryOp::Or => {
                let sum = terms.add2(x, y);
                terms.sub(sum, both)
            }
            _ => {
                let (sum, two) = (terms.add2(x, y), terms.int(2));
                let twice = terms.mul(two, both);
                terms.sub(sum, twice)
            }
        };
        // The terms hide that the result has no more bits than its operands: only the sign is to be read
        // anew.
        if !shape.signed || self.is_within(terms, result, 0, (1 << (width.min(127) - 1)) - 1) {
            return Some(result);
        }
        let (half, modulus) = (two_to(terms, width - 1), two_to(terms, width));
        let (is_negative, lowered) = (terms.ge(result, half), terms.sub(result, modulus));
        Some(terms.ite(is_negative, lowered, result))
    }

    /// `value & mask` on bits, for a constant; None if it has too many runs of ones.
    fn constant_and(&mut self, terms: &mut Terms, shape: Shape, value: Term, mask: Term) -> Option<Term> {
        let width = u32::from(shape.width);
        let mask = constant(terms, mask)? as u128 & (u128::MAX >> (128 - width));
        let runs = runs_of_ones(mask);
        if runs.len() > MAX_RUNS {
            return None;
        }
        let bits = self.bits(terms, shape, value);
        let mut parts = Vec::new();
        for (from, upto) in runs {
            let part = self.slice(terms, bits, from, upto, width);
            let weight = two_to(terms, from);
            parts.push(terms.mul(weight, part));
        }
        Some(terms.add(&parts))
    }

    /// How many bits a value has, if it is known to be non-negative and small.
    fn few_bits(&mut self, terms: &Terms, term: Term) -> Option<u32> {
        let (lo, hi) = self.bounds(terms, term)?;
        let bits = 128 - hi.max(0).leading_zeros();
        (lo >= 0 && bits <= MAX_BITS).then_some(bits)
    }

    /// `few & other` on bits, where `few` has only `count` bits.
    fn and_of_few(&mut self, terms: &mut Terms, shape: Shape, few: Term, other: Term, count: u32) -> Term {
        let other = self.bits(terms, shape, other);
        let (one, zero) = (terms.int(1), terms.int(0));
        let mut parts = Vec::new();
        for bit in 0..count {
            let x = self.slice(terms, few, bit, bit + 1, count);
            let y = self.slice(terms, other, bit, bit + 1, u32::from(shape.width));
            let (x, y) = (terms.eq(x, one), terms.eq(y, one));
            let (both, weight) = (terms.and2(x, y), two_to(terms, bit));
            parts.push(terms.ite(both, weight, zero));
        }
        terms.add(&parts)
    }
}

/// Bounds of `a op b` in two's complement, whatever the width.
pub(super) fn facts(terms: &mut Terms, op: BinaryOp, (a, b): (Term, Term), result: Term) -> Term {
    let zero = terms.int(0);
    let (a_negative, b_negative) = (terms.lt(a, zero), terms.lt(b, zero));
    let negative = terms.lt(result, zero);
    let mut facts = Vec::new();
    match op {
        BinaryOp::And => {
            // Bits are taken away: from a number of either sign that makes it smaller, if the sign stays.
            let both = terms.and2(a_negative, b_negative);
            facts.push(terms.iff(negative, both));
            for (x, x_negative) in [(a, a_negative), (b, b_negative)] {
                let (keeps, smaller) = (terms.iff(negative, x_negative), terms.le(result, x));
                facts.push(terms.implies(keeps, smaller));
            }
        }
        BinaryOp::Or => {
            // Bits are added.
            let either = terms.or2(a_negative, b_negative);
            facts.push(terms.iff(negative, either));
            for (x, x_negative) in [(a, a_negative), (b, b_negative)] {
                let (keeps, larger) = (terms.iff(negative, x_negative), terms.ge(result, x));
                facts.push(terms.implies(keeps, larger));
            }
            let (sum, positive) = (terms.add2(a, b), terms.not(either));
            let bounded = terms.le(result, sum);
            facts.push(terms.implies(positive, bounded));
        }
        BinaryOp::Xor => {
            let same_sign = terms.iff(a_negative, b_negative);
            let positive = terms.not(negative);
            facts.push(terms.iff(positive, same_sign));
            let (is_zero, equal) = (terms.eq(result, zero), terms.eq(a, b));
            facts.push(terms.iff(is_zero, equal));
            let (either, sum) = (terms.or2(a_negative, b_negative), terms.add2(a, b));
            let bounded = terms.le(result, sum);
            facts.push(terms.or2(either, bounded));
        }
        _ => {}
    }
    terms.and(&facts)
}

/// Is the term a constant, or a choice between such terms?
fn is_choice_of_constants(terms: &Terms, term: Term, depth: u32) -> bool {
    match terms.as_app(term) {
        Some((Op::Ite, &[_, then, otherwise])) if depth > 0 => {
            is_choice_of_constants(terms, then, depth - 1)
                && is_choice_of_constants(terms, otherwise, depth - 1)
        }
        _ => terms.as_int(term).is_some(),
    }
}

/// The runs of ones in a mask: first bit and the bit after the last, lowest first.
fn runs_of_ones(mut mask: u128) -> Vec<(u32, u32)> {
    let (mut runs, mut at) = (Vec::new(), 0);
    while mask != 0 {
        let zeros = mask.trailing_zeros();
        mask >>= zeros;
        let ones = mask.trailing_ones();
        runs.push((at + zeros, at + zeros + ones));
        at += zeros + ones;
        mask = if ones < 128 { mask >> ones } else { 0 };
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_base::FxHashMap;
    use summa_term::{Sort, Value};

    /// Values where signs, single bits and many bits meet.
    const VALUES: [i128; 12] = [0, 1, 2, 3, 7, 100, 255, -1, -2, -100, i32::MAX as i128, i32::MIN as i128];

    fn expected(op: BinaryOp, a: i128, b: i128) -> i128 {
        match op {
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            BinaryOp::Xor => a ^ b,
            BinaryOp::Shl => i128::from((a as i32).wrapping_shl(b as u32)),
            _ => i128::from((a as i32).wrapping_shr(b as u32)),
        }
    }

    fn check(op: BinaryOp, left: Shape, right: Shape) {
        let (mut integers, mut terms) = (Integers::default(), Terms::new());
        let (x, y) = (terms.declare("x", Sort::Int), terms.declare("y", Sort::Int));
        let (a, b) = (terms.symbol(x, 0), terms.symbol(y, 0));
        integers.introduce(&mut terms, left, x, a);
        integers.introduce(&mut terms, right, y, b);
        let shape = Shape::signed(32);
        let result = integers.binary(&mut terms, op, shape, (a, b), shape).unwrap();
        let within = |shape: Shape, v: i128| shape.range().is_some_and(|(lo, hi)| lo <= v && v <= hi);
        for m in VALUES.into_iter().filter(|&v| within(left, v)) {
            for n in VALUES.into_iter().filter(|&v| within(right, v)) {
                let mut values = FxHashMap::default();
                values.insert((x, 0), Value::Int(m.into()));
                values.insert((y, 0), Value::Int(n.into()));
                let found = terms.eval(result, &values);
                assert_eq!(found, Some(Value::Int(expected(op, m, n).into())), "{m} {op:?} {n}");
            }
        }
    }

    #[test]
    fn operations_with_few_bits_are_exact() {
        for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            check(op, Shape::signed(32), Shape::unsigned(8));
            check(op, Shape::unsigned(8), Shape::signed(32));
        }
    }

    #[test]
    fn shifts_by_any_amount_are_exact() {
        for op in [BinaryOp::Shl, BinaryOp::Shr] {
            check(op, Shape::signed(32), Shape::unsigned(8));
            check(op, Shape::signed(32), Shape::signed(32));
        }
    }

    #[test]
    fn bounds_hold_of_every_result() {
        let mut terms = Terms::new();
        for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            for a in VALUES {
                for b in VALUES {
                    let [x, y, result] = [a, b, expected(op, a, b)].map(|value| terms.int(value));
                    let fact = facts(&mut terms, op, (x, y), result);
                    assert_eq!(terms.as_bool(fact), Some(true), "{a} {op:?} {b}");
                }
            }
        }
    }
}
