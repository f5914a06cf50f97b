//! C integers as mathematical integers. Every value is kept in the range of its type: where bounds do not show that a
//! result is inside, wrap-around is a case split (one period away) or a remainder.
//!
//! Exact: `+ - * / %`, comparisons, conversions, shifts by constants, `& | ^` with a constant of few runs of ones or on
//! values 0 and 1, `~`. Not exact, and said so: other bit operations, floating point of values that are not constant.

use super::bounds::{Bounds, Range};
use super::{Arithmetic, power};
use crate::shape::Shape;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_term::{FloatSort, Sort, SymbolId, Term, Terms};

/// A mask with more runs of ones would make a term that solvers dislike.
const MAX_RUNS: usize = 6;

#[derive(Clone, Debug, Default)]
pub struct Integers {
    bounds: Bounds,
}

impl Integers {
    fn bounds(&mut self, terms: &Terms, term: Term) -> Range {
        self.bounds.of(terms, term)
    }

    fn is_within(&mut self, terms: &Terms, term: Term, lo: i128, hi: i128) -> bool {
        self.bounds(terms, term).is_some_and(|(a, b)| lo <= a && b <= hi)
    }

    /// The value of the type that is congruent to `exact`.
    fn wrap(&mut self, terms: &mut Terms, shape: Shape, exact: Term) -> Term {
        let Some((lo, hi)) = shape.range().filter(|_| shape.width < 127) else {
            return self.wrap_by_remainder(terms, shape, exact);
        };
        let period = power(u32::from(shape.width));
        if self.is_within(terms, exact, lo, hi) {
            return exact;
        }
        if !self.is_within(terms, exact, lo - period, hi + period) {
            return self.wrap_by_remainder(terms, shape, exact);
        }
        let (low, high, step) = (terms.int(lo), terms.int(hi), terms.int(period));
        let mut result = exact;
        if !self.is_within(terms, exact, lo, i128::MAX) {
            let (below, raised) = (terms.lt(exact, low), terms.add2(exact, step));
            result = terms.ite(below, raised, result);
        }
        if !self.is_within(terms, exact, i128::MIN, hi) {
            let (above, lowered) = (terms.gt(exact, high), terms.sub(exact, step));
            result = terms.ite(above, lowered, result);
        }
        result
    }

    fn wrap_by_remainder(&mut self, terms: &mut Terms, shape: Shape, exact: Term) -> Term {
        let modulus = two_to(terms, u32::from(shape.width));
        if !shape.signed {
            return terms.modulo(exact, modulus);
        }
        let half = two_to(terms, u32::from(shape.width) - 1);
        let shifted = terms.add2(exact, half);
        let remainder = terms.modulo(shifted, modulus);
        terms.sub(remainder, half)
    }

    /// The bits of a value as a non-negative number.
    fn bits(&mut self, terms: &mut Terms, shape: Shape, a: Term) -> Term {
        self.wrap(terms, Shape::unsigned(shape.width), a)
    }

    /// `a & mask`, on bits; None if the mask has too many runs of ones.
    fn mask(&mut self, terms: &mut Terms, bits: Term, mask: u128, width: u32) -> Option<Term> {
        let runs = runs_of_ones(mask);
        if runs.len() > MAX_RUNS {
            return None;
        }
        let mut parts = Vec::new();
        for (from, upto) in runs {
            let part = self.slice(terms, bits, from, upto, width);
            let weight = two_to(terms, from);
            parts.push(terms.mul(weight, part));
        }
        Some(terms.add(&parts))
    }

    /// Bits `from..upto` of a non-negative number of `width` bits, as a number.
    fn slice(&mut self, terms: &mut Terms, bits: Term, from: u32, upto: u32, width: u32) -> Term {
        let divisor = two_to(terms, from);
        let shifted = terms.div(bits, divisor);
        if upto >= width {
            return shifted;
        }
        let modulus = two_to(terms, upto - from);
        terms.modulo(shifted, modulus)
    }

    /// `& | ^` where one operand is constant, or both are 0 or 1.
    fn bitwise(&mut self, terms: &mut Terms, op: BinaryOp, shape: Shape, a: Term, b: Term) -> Option<Term> {
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
        let (value, constant) = match (constant(terms, a), constant(terms, b)) {
            (_, Some(b)) => (a, b),
            (Some(a), _) => (b, a),
            _ => return None,
        };
        let width = u32::from(shape.width);
        let mask = constant as u128 & (u128::MAX >> (128 - width));
        let bits = self.bits(terms, shape, value);
        let both = self.mask(terms, bits, mask, width)?;
        let mask = terms.int(mask);
        let result = match op {
            BinaryOp::And => both,
            BinaryOp::Or => {
                let sum = terms.add2(bits, mask);
                terms.sub(sum, both)
            }
            _ => {
                let (sum, two) = (terms.add2(bits, mask), terms.int(2));
                let twice = terms.mul(two, both);
                terms.sub(sum, twice)
            }
        };
        // The terms hide that the result has no more bits than its operands: only the sign is to be read anew.
        if !shape.signed {
            return Some(result);
        }
        let (half, modulus) = (two_to(terms, width - 1), two_to(terms, width));
        let (is_negative, lowered) = (terms.ge(result, half), terms.sub(result, modulus));
        Some(terms.ite(is_negative, lowered, result))
    }

    /// Division and remainder that truncate, as C's do.
    fn divide(&mut self, terms: &mut Terms, op: BinaryOp, shape: Shape, a: Term, b: Term) -> Term {
        let is_positive = |range: Range| range.is_some_and(|(lo, _)| lo >= 0);
        let plain = !shape.signed || is_positive(self.bounds(terms, a)) && is_positive(self.bounds(terms, b));
        match op {
            BinaryOp::Div if plain => terms.div(a, b),
            BinaryOp::Div => {
                let quotient = terms.truncated_div(a, b);
                // The smallest number by -1 is the only quotient out of range; it wraps to itself.
                self.wrap_quotient(terms, shape, quotient)
            }
            _ if plain => terms.modulo(a, b),
            _ => terms.truncated_rem(a, b),
        }
    }

    fn wrap_quotient(&mut self, terms: &mut Terms, shape: Shape, quotient: Term) -> Term {
        let (limit, modulus) =
            (two_to(terms, u32::from(shape.width) - 1), two_to(terms, u32::from(shape.width)));
        let (is_out, wrapped) = (terms.eq(quotient, limit), terms.sub(quotient, modulus));
        terms.ite(is_out, wrapped, quotient)
    }
}

impl Arithmetic for Integers {
    fn sort(&self, _: Shape) -> Sort {
        Sort::Int
    }

    fn constant(&self, terms: &mut Terms, shape: Shape, value: i128) -> Term {
        // `unsigned __int128` is kept by its bits.
        if shape.width >= 128 && !shape.signed { terms.int(value as u128) } else { terms.int(value) }
    }

    fn introduce(&mut self, terms: &mut Terms, shape: Shape, symbol: SymbolId, term: Term) -> Term {
        if let Some(range) = shape.range() {
            self.bounds.declare(symbol, range);
            let (lo, hi) = (terms.int(range.0), terms.int(range.1));
            let (from, upto) = (terms.le(lo, term), terms.le(term, hi));
            return terms.and2(from, upto);
        }
        let (zero, end) = (terms.int(0), two_to(terms, u32::from(shape.width)));
        let (from, upto) = (terms.le(zero, term), terms.lt(term, end));
        terms.and2(from, upto)
    }

    fn unary(&mut self, terms: &mut Terms, op: UnaryOp, shape: Shape, a: Term) -> Term {
        match op {
            UnaryOp::Neg => {
                let exact = terms.neg(a);
                self.wrap(terms, shape, exact)
            }
            UnaryOp::BitNot => {
                let top = if shape.signed {
                    terms.int(-1)
                } else {
                    let (end, one) = (two_to(terms, u32::from(shape.width)), terms.int(1));
                    terms.sub(end, one)
                };
                terms.sub(top, a)
            }
        }
    }

    fn binary(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        (a, b): (Term, Term),
        _: Shape,
    ) -> Option<Term> {
        use BinaryOp::*;
        let exact = match op {
            Add => terms.add2(a, b),
            Sub => terms.sub(a, b),
            Mul => terms.mul(a, b),
            Div | Rem => return Some(self.divide(terms, op, shape, a, b)),
            And | Or | Xor => return self.bitwise(terms, op, shape, a, b),
            Shl | Shr => {
                let by = u32::try_from(constant(terms, b)?).ok().filter(|&by| by < u32::from(shape.width))?;
                let factor = two_to(terms, by);
                if op == Shr {
                    // Rounds down: an arithmetic shift on negative numbers.
                    return Some(terms.div(a, factor));
                }
                terms.mul(a, factor)
            }
            Eq | Ne | Lt | Le | Gt | Ge | PtrAdd | PtrSub | PtrDiff => return None,
        };
        Some(self.wrap(terms, shape, exact))
    }

    fn compare(&self, terms: &mut Terms, op: BinaryOp, _: Shape, a: Term, b: Term) -> Term {
        match op {
            BinaryOp::Eq => terms.eq(a, b),
            BinaryOp::Lt => terms.lt(a, b),
            BinaryOp::Le => terms.le(a, b),
            BinaryOp::Gt => terms.gt(a, b),
            BinaryOp::Ge => terms.ge(a, b),
            _ => terms.ne(a, b),
        }
    }

    fn convert(&mut self, terms: &mut Terms, _: Shape, to: Shape, a: Term) -> Term {
        self.wrap(terms, to, a)
    }

    fn to_float(&mut self, terms: &mut Terms, from: Shape, to: FloatSort, a: Term) -> Option<Term> {
        let value = constant(terms, a)?;
        let bits = terms.bv(128, value as u128);
        Some(if from.signed { terms.float_from_sbv(bits, to) } else { terms.float_from_ubv(bits, to) })
    }

    fn of_float(&mut self, _: &mut Terms, _: Shape, _: Term) -> Option<Term> {
        None
    }

    fn to_bytes(&mut self, terms: &mut Terms, shape: Shape, a: Term) -> Vec<Term> {
        let bits = self.bits(terms, shape, a);
        let width = u32::from(shape.width);
        (0..width / 8).map(|i| self.slice(terms, bits, 8 * i, 8 * i + 8, width)).collect()
    }

    fn of_bytes(&mut self, terms: &mut Terms, shape: Shape, bytes: &[Term]) -> Term {
        let mut parts = Vec::new();
        for (i, &byte) in bytes.iter().enumerate() {
            let weight = two_to(terms, 8 * i as u32);
            parts.push(terms.mul(weight, byte));
        }
        let bits = terms.add(&parts);
        self.wrap(terms, shape, bits)
    }

    fn field(&mut self, terms: &mut Terms, shape: Shape, a: Term, from: u32, width: u32) -> Term {
        self.slice(terms, a, from, from + width, u32::from(shape.width))
    }
}

fn constant(terms: &Terms, term: Term) -> Option<i128> {
    terms.as_int(term).and_then(|value| i128::try_from(value).ok())
}

fn two_to(terms: &mut Terms, exponent: u32) -> Term {
    if exponent < 127 {
        return terms.int(power(exponent));
    }
    let half = terms.int(power(exponent - 64));
    let rest = terms.int(power(64));
    terms.mul(half, rest)
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
