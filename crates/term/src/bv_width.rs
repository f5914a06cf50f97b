//! Builders that change the width of bit-vectors: concatenation, extraction, extension.

use crate::bits;
use crate::kind::{Kind, Op};
use crate::sort::Sort;
use crate::store::{Term, Terms};

impl Terms {
    /// `high` above `low`.
    pub fn bv_concat(&mut self, high: Term, low: Term) -> Term {
        let (high_width, low_width) = (self.bv_width(high), self.bv_width(low));
        assert!(
            high_width <= 128 - low_width,
            "{high_width} and {low_width} bits are too many for one bit-vector"
        );
        let width = high_width + low_width;
        match (self.bits_of(high), self.bits_of(low)) {
            (Some(h), Some(l)) => return self.bv(width, bits::concat(low_width, h, l)),
            (Some(0), None) => return self.bv_zero_extend(low, width),
            _ => {}
        }
        let extract = |term: Term| match self.as_app(term) {
            Some((Op::BvExtract { hi, lo }, args)) => Some((hi, lo, args[0])),
            _ => None,
        };
        if let (Some((hi, middle, x)), Some((below, lo, y))) = (extract(high), extract(low))
            && x == y
            && middle == below + 1
        {
            return self.bv_extract(hi, lo, x);
        }
        // The low part may be a whole extraction of the high part's term already: (x[3..2] ++ x[1..0]) ++ y.
        if let Some([h, l]) = self.args_of(low, Op::BvConcat)
            && let (Some((hi, middle, x)), Some((below, lo, y))) = (extract(high), extract(h))
            && x == y
            && middle == below + 1
        {
            let joined = self.bv_extract(hi, lo, x);
            return self.bv_concat(joined, l);
        }
        self.app(Op::BvConcat, &[high, low], Sort::Bv(width))
    }

    /// Bits `hi` down to `lo`.
    pub fn bv_extract(&mut self, hi: u8, lo: u8, a: Term) -> Term {
        let width = self.bv_width(a);
        assert!(lo <= hi && hi < width, "bits {hi} to {lo} of {width}");
        let wanted = hi - lo + 1;
        if wanted == width {
            return a;
        }
        if let Some(bits) = self.bits_of(a) {
            return self.bv(wanted, bits::extract(hi, lo, bits));
        }
        if let Some(pushed) = self.push_unary(a, |terms, leaf| terms.bv_extract(hi, lo, leaf)) {
            return pushed;
        }
        let Some((op, &[first, ref rest @ ..])) = self.as_app(a) else {
            return self.app(Op::BvExtract { hi, lo }, &[a], Sort::Bv(wanted));
        };
        let second = rest.first().copied();
        match (op, second) {
            (Op::BvExtract { lo: inner, .. }, _) => return self.bv_extract(hi + inner, lo + inner, first),
            (Op::BvConcat, Some(low)) => {
                let low_width = self.bv_width(low);
                if hi < low_width {
                    return self.bv_extract(hi, lo, low);
                }
                if lo >= low_width {
                    return self.bv_extract(hi - low_width, lo - low_width, first);
                }
            }
            (Op::BvZeroExtend | Op::BvSignExtend, _) => {
                let inner_width = self.bv_width(first);
                if hi < inner_width {
                    return self.bv_extract(hi, lo, first);
                }
                if lo >= inner_width && op == Op::BvZeroExtend {
                    return self.bv(wanted, 0);
                }
                if lo < inner_width {
                    let kept = self.bv_extract(inner_width - 1, lo, first);
                    return self.extend(op, kept, wanted);
                }
                // Only copies of the sign.
                let sign = self.bv_extract(inner_width - 1, inner_width - 1, first);
                return self.bv_sign_extend(sign, wanted);
            }
            // The low bits of a result depend on the low bits of the arguments only: C computes in `int` and
            // stores a `char`.
            (Op::BvAdd | Op::BvSub | Op::BvMul, Some(second))
                if lo == 0 && self.narrows(first, hi) && self.narrows(second, hi) =>
            {
                let (x, y) = (self.bv_extract(hi, 0, first), self.bv_extract(hi, 0, second));
                return match op {
                    Op::BvAdd => self.bv_add(x, y),
                    Op::BvSub => self.bv_sub(x, y),
                    _ => self.bv_mul(x, y),
                };
            }
            (Op::BvAnd | Op::BvOr | Op::BvXor, Some(second))
                if self.narrows(first, hi) && self.narrows(second, hi) =>
            {
                let (x, y) = (self.bv_extract(hi, lo, first), self.bv_extract(hi, lo, second));
                return match op {
                    Op::BvAnd => self.bv_and(x, y),
                    Op::BvOr => self.bv_or(x, y),
                    _ => self.bv_xor(x, y),
                };
            }
            (Op::BvNot, _) if self.narrows(first, hi) => {
                let x = self.bv_extract(hi, lo, first);
                return self.bv_not(x);
            }
            (Op::BvNeg, _) if lo == 0 && self.narrows(first, hi) => {
                let x = self.bv_extract(hi, 0, first);
                return self.bv_neg(x);
            }
            _ => {}
        }
        self.app(Op::BvExtract { hi, lo }, &[a], Sort::Bv(wanted))
    }

    /// Does an extraction up to `hi` vanish in this term?
    fn narrows(&self, term: Term, hi: u8) -> bool {
        match self.kind(term) {
            Kind::Bv(_) => true,
            Kind::App(Op::BvZeroExtend | Op::BvSignExtend, args) => self.bv_width(args[0]) <= hi + 1,
            _ => false,
        }
    }

    /// `a` with zeros above, to `width` bits.
    pub fn bv_zero_extend(&mut self, a: Term, width: u8) -> Term {
        self.extend(Op::BvZeroExtend, a, width)
    }

    /// `a` with copies of its sign above, to `width` bits.
    pub fn bv_sign_extend(&mut self, a: Term, width: u8) -> Term {
        self.extend(Op::BvSignExtend, a, width)
    }

    fn extend(&mut self, op: Op, a: Term, width: u8) -> Term {
        let from = self.bv_width(a);
        assert!(from <= width && width <= 128, "extension of {from} to {width} bits");
        if from == width {
            return a;
        }
        if let Some(bits) = self.bits_of(a) {
            let signed = op == Op::BvSignExtend;
            return self.bv(width, if signed { bits::sign_extend(from, width, bits) } else { bits });
        }
        if let Some(pushed) = self.push_unary(a, |terms, leaf| terms.extend(op, leaf, width)) {
            return pushed;
        }
        if let Some([inner]) = self.args_of(a, op) {
            return self.extend(op, inner, width);
        }
        // The sign of a zero-extended value is zero.
        if let Some([inner]) = self.args_of(a, Op::BvZeroExtend) {
            return self.extend(Op::BvZeroExtend, inner, width);
        }
        self.app(op, &[a], Sort::Bv(width))
    }
}
