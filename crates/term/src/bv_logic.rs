//! Builders of bit operations and shifts.

use crate::bits;
use crate::kind::Op;
use crate::sort::Sort;
use crate::store::{Term, Terms};

impl Terms {
    pub fn bv_and(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Op::BvAnd, a, b)
    }

    pub fn bv_or(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Op::BvOr, a, b)
    }

    pub fn bv_xor(&mut self, a: Term, b: Term) -> Term {
        self.bitwise(Op::BvXor, a, b)
    }

    pub(crate) fn bitwise(&mut self, op: Op, a: Term, b: Term) -> Term {
        let (width, a, b) = match self.ordered(op, a, b) {
            Ok(done) => return done,
            Err(parts) => parts,
        };
        if a == b {
            return if op == Op::BvXor { self.bv(width, 0) } else { a };
        }
        if let Some(bits) = self.bits_of(a) {
            let ones = bits == bits::mask(width);
            match op {
                Op::BvAnd if bits == 0 => return a,
                Op::BvAnd if ones => return b,
                Op::BvOr if bits == 0 => return b,
                Op::BvOr if ones => return a,
                Op::BvXor if bits == 0 => return b,
                Op::BvXor if ones => return self.bv_not(b),
                _ => {}
            }
            if let Some(merged) = self.merge_constants(op, a, b) {
                return merged;
            }
            if op == Op::BvAnd
                && let Some(narrowed) = self.mask_of_extended(width, bits, b)
            {
                return narrowed;
            }
            return self.app(op, &[a, b], Sort::Bv(width));
        }
        if let Some(moved) = self.constant_outside(op, a, b) {
            return moved;
        }
        if self.args_of(a, Op::BvNot) == Some([b]) || self.args_of(b, Op::BvNot) == Some([a]) {
            return self.bv(width, if op == Op::BvAnd { 0 } else { u128::MAX });
        }
        if let Some(truth) = self.bitwise_on_truth_values(op, width, a, b) {
            return truth;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some([p, q]) = self.args_of(y, op)
                && (p == x || q == x)
            {
                return match op {
                    Op::BvXor if p == x => q,
                    Op::BvXor => p,
                    _ => y,
                };
            }
        }
        self.app(op, &[a, b], Sort::Bv(width))
    }

    /// `zext(x) & m` with all bits of `x` in the mask is `zext(x)`; with some of them it is an operation on
    /// `x`.
    fn mask_of_extended(&mut self, width: u8, bits: u128, term: Term) -> Option<Term> {
        let [inner] = self.args_of(term, Op::BvZeroExtend)?;
        let inner_width = self.bv_width(inner);
        let kept = self.bv(inner_width, bits);
        let narrow = self.bv_and(inner, kept);
        Some(self.bv_zero_extend(narrow, width))
    }

    /// `ite(c, 1, 0) | ite(d, 1, 0)` is `ite(c ∨ d, 1, 0)`: C's bit operations on truth values.
    fn bitwise_on_truth_values(&mut self, op: Op, width: u8, a: Term, b: Term) -> Option<Term> {
        let (c, d) = (self.as_truth_value(a)?, self.as_truth_value(b)?);
        let joined = match op {
            Op::BvAnd => self.and2(c, d),
            Op::BvOr => self.or2(c, d),
            _ => self.ne(c, d),
        };
        let (one, zero) = (self.bv(width, 1), self.bv(width, 0));
        Some(self.ite(joined, one, zero))
    }

    /// The condition `c` of `ite(c, 1, 0)`.
    fn as_truth_value(&mut self, term: Term) -> Option<Term> {
        let (c, a, b) = self.as_constant_ite(term)?;
        match (self.bits_of(a)?, self.bits_of(b)?) {
            (1, 0) => Some(c),
            (0, 1) => Some(self.not(c)),
            _ => None,
        }
    }

    pub fn bv_shl(&mut self, a: Term, b: Term) -> Term {
        self.shift(Op::BvShl, a, b)
    }

    pub fn bv_lshr(&mut self, a: Term, b: Term) -> Term {
        self.shift(Op::BvLshr, a, b)
    }

    pub fn bv_ashr(&mut self, a: Term, b: Term) -> Term {
        self.shift(Op::BvAshr, a, b)
    }

    fn shift(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if self.bits_of(b) == Some(0) || self.bits_of(a) == Some(0) {
            return a;
        }
        if op == Op::BvAshr && self.bits_of(a) == Some(bits::mask(width)) {
            return a;
        }
        if let Some(by) = self.bits_of(b) {
            if by >= u128::from(width) {
                if op != Op::BvAshr {
                    return self.bv(width, 0);
                }
                let largest = self.bv(width, u128::from(width) - 1);
                return self.shift(op, a, largest);
            }
            // Shifts in one direction add up; what exceeds the width is handled above.
            if let Some([x, inner]) = self.args_of(a, op)
                && let Some(first) = self.bits_of(inner)
                && first < u128::from(width)
                && first + by <= bits::mask(width)
            {
                let total = self.bv(width, first + by);
                return self.shift(op, x, total);
            }
        }
        self.plain_binary(op, a, b)
    }
}
