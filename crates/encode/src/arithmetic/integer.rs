//! C integers as mathematical integers. Every value is kept in the range of its type: where bounds do not
//! show that a result is inside, wrap-around is a case split (one period away) or a remainder.
//!
//! Exact: `+ - * / %`, comparisons, conversions, shifts, `~`, and `& | ^` as far as `bits.rs` goes. Not
//! exact, and said so: other bit operations, floating point of values that are not constant.

use super::bounds::{Bounds, Range};
use super::{Arithmetic, power};
use crate::shape::Shape;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_term::{FloatOp, FloatSort, Rounding, Sort, SymbolId, Term, Terms};
use summa_term::{bits, soft_float};

#[derive(Clone, Debug, Default)]
pub struct Integers {
    bounds: Bounds,
}

impl Integers {
    pub(super) fn bounds(&mut self, terms: &Terms, term: Term) -> Range {
        self.bounds.of(terms, term)
    }

    pub(super) fn is_within(&mut self, terms: &Terms, term: Term, lo: i128, hi: i128) -> bool {
        self.bounds(terms, term).is_some_and(|(a, b)| lo <= a && b <= hi)
    }

    /// The value of the type that is congruent to `exact`.
    pub(super) fn wrap(&mut self, terms: &mut Terms, shape: Shape, exact: Term) -> Term {
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
        self.bounds.narrow(terms, result, (lo, hi));
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

    fn is_in_range(&mut self, terms: &Terms, shape: Shape, term: Term) -> bool {
        shape.range().is_some_and(|(lo, hi)| self.is_within(terms, term, lo, hi))
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
            Shl | Shr => return Some(self.shift(terms, op, shape, a, b)),
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

    fn facts(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        _: Shape,
        operands: (Term, Term),
        result: Term,
    ) -> Term {
        super::bits::facts(terms, op, operands, result)
    }

    fn to_float(
        &mut self,
        terms: &mut Terms,
        rounding: Rounding,
        from: Shape,
        to: FloatSort,
        a: Term,
    ) -> Option<Term> {
        let op = if from.signed { FloatOp::FromSbv } else { FloatOp::FromUbv };
        let mut convert = |terms: &mut Terms, args: &[Term]| {
            let bits = terms.bv(128, constant(terms, args[0])? as u128);
            Some(terms.float_rounded(op, rounding, &[bits], to))
        };
        convert(terms, &[a]).or_else(|| terms.by_cases(&[a], &mut convert))
    }

    fn of_float(&mut self, terms: &mut Terms, to: Shape, a: Term) -> Option<Term> {
        let mut truncate = |terms: &mut Terms, args: &[Term]| {
            let (sort, bits) = terms.as_float(args[0])?;
            let bits = soft_float::to_int(sort, bits, to.width, to.signed)?;
            let value =
                if to.signed { bits::to_signed(to.width, bits) } else { i128::try_from(bits).ok()? };
            Some(terms.int(value))
        };
        truncate(terms, &[a]).or_else(|| terms.by_cases(&[a], &mut truncate))
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

pub(super) fn constant(terms: &Terms, term: Term) -> Option<i128> {
    terms.as_int(term).and_then(|value| i128::try_from(value).ok())
}

pub(super) fn two_to(terms: &mut Terms, exponent: u32) -> Term {
    if exponent < 127 {
        return terms.int(power(exponent));
    }
    let half = terms.int(power(exponent - 64));
    let rest = terms.int(power(64));
    terms.mul(half, rest)
}
