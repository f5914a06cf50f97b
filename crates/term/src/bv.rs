//! Builders of bit-vector arithmetic. Bit operations are in `bv_logic.rs`, comparisons in `bv_compare.rs`,
//! changes of the width in `bv_width.rs`.
//!
//! In commutative operators a constant stands first and other arguments are sorted; constants of nested sums
//! and products are merged. Subtraction of a constant is addition.

use crate::bits;
use crate::kind::{Kind, Op};
use crate::sort::Sort;
use crate::store::{Term, Terms};

impl Terms {
    /// The bit-vector constant with the low `width` bits of `bits`.
    pub fn bv(&mut self, width: u8, bits: u128) -> Term {
        assert!((1..=128).contains(&width), "bit-vectors have 1 to 128 bits, not {width}");
        self.intern(Kind::Bv(bits & bits::mask(width)), Sort::Bv(width))
    }

    /// The bit-vector constant of a number in two's complement.
    pub fn bv_signed(&mut self, width: u8, value: i128) -> Term {
        self.bv(width, value as u128)
    }

    /// The width of a bit-vector.
    #[track_caller]
    pub fn bv_width(&self, term: Term) -> u8 {
        match self.sort(term) {
            Sort::Bv(width) => width,
            other => panic!("a bit-vector is wanted, not {other:?}"),
        }
    }

    #[track_caller]
    pub(crate) fn common_width(&self, a: Term, b: Term) -> u8 {
        let width = self.bv_width(a);
        assert!(width == self.bv_width(b), "widths {width} and {} differ", self.bv_width(b));
        width
    }

    pub(crate) fn bits_of(&self, term: Term) -> Option<u128> {
        self.as_bv(term).map(|(_, bits)| bits)
    }

    pub fn bv_not(&mut self, a: Term) -> Term {
        let width = self.bv_width(a);
        if let Some(bits) = self.bits_of(a) {
            return self.bv(width, bits::not(width, bits));
        }
        if let Some([inner]) = self.args_of(a, Op::BvNot) {
            return inner;
        }
        if let Some(pushed) = self.push_unary(a, Self::bv_not) {
            return pushed;
        }
        self.app(Op::BvNot, &[a], Sort::Bv(width))
    }

    pub fn bv_neg(&mut self, a: Term) -> Term {
        let width = self.bv_width(a);
        if let Some(bits) = self.bits_of(a) {
            return self.bv(width, bits::neg(width, bits));
        }
        if let Some([inner]) = self.args_of(a, Op::BvNeg) {
            return inner;
        }
        if let Some([x, y]) = self.args_of(a, Op::BvSub) {
            return self.bv_sub(y, x);
        }
        if let Some([k, x]) = self.args_of(a, Op::BvAdd)
            && let Some(bits) = self.bits_of(k)
        {
            let minus = self.bv(width, bits::neg(width, bits));
            return self.bv_sub(minus, x);
        }
        if let Some([k, x]) = self.args_of(a, Op::BvMul)
            && let Some(bits) = self.bits_of(k)
        {
            let minus = self.bv(width, bits::neg(width, bits));
            return self.bv_mul(minus, x);
        }
        if let Some(pushed) = self.push_unary(a, Self::bv_neg) {
            return pushed;
        }
        self.app(Op::BvNeg, &[a], Sort::Bv(width))
    }

    pub fn bv_add(&mut self, a: Term, b: Term) -> Term {
        let (width, a, b) = match self.ordered(Op::BvAdd, a, b) {
            Ok(done) => return done,
            Err(parts) => parts,
        };
        if self.bits_of(a) == Some(0) {
            return b;
        }
        if self.bits_of(a).is_some() {
            if let Some(merged) = self.merge_constants(Op::BvAdd, a, b) {
                return merged;
            }
            // k + (c - x) = (k + c) - x
            if let Some([c, x]) = self.args_of(b, Op::BvSub)
                && self.bits_of(c).is_some()
            {
                let constant = self.bv_add(a, c);
                return self.bv_sub(constant, x);
            }
            return self.app(Op::BvAdd, &[a, b], Sort::Bv(width));
        }
        if let Some(moved) = self.constant_outside(Op::BvAdd, a, b) {
            return moved;
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some([minus]) = self.args_of(y, Op::BvNeg) {
                return self.bv_sub(x, minus);
            }
            if let Some([p, q]) = self.args_of(y, Op::BvSub) {
                if q == x {
                    return p;
                }
                if self.bits_of(p).is_some() {
                    let inner = self.bv_sub(x, q);
                    return self.bv_add(p, inner);
                }
            }
            if self.args_of(x, Op::BvNot) == Some([y]) {
                return self.bv(width, u128::MAX);
            }
        }
        self.app(Op::BvAdd, &[a, b], Sort::Bv(width))
    }

    pub fn bv_sub(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if a == b {
            return self.bv(width, 0);
        }
        if let Some(bits) = self.bits_of(b) {
            let minus = self.bv(width, bits::neg(width, bits));
            return self.bv_add(minus, a);
        }
        if self.bits_of(a) == Some(0) {
            return self.bv_neg(b);
        }
        if let Some(pushed) = self.push_binary(Op::BvSub, a, b) {
            return pushed;
        }
        if let Some([minus]) = self.args_of(b, Op::BvNeg) {
            return self.bv_add(a, minus);
        }
        if let Some([k, x]) = self.args_of(b, Op::BvAdd) {
            if let Some(bits) = self.bits_of(k) {
                let minus = self.bv(width, bits::neg(width, bits));
                let rest = self.bv_sub(a, x);
                return self.bv_add(minus, rest);
            }
            if k == a || x == a {
                return self.bv_neg(if k == a { x } else { k });
            }
        }
        if let Some([k, x]) = self.args_of(a, Op::BvAdd) {
            if self.bits_of(k).is_some() {
                let rest = self.bv_sub(x, b);
                return self.bv_add(k, rest);
            }
            if k == b || x == b {
                return if k == b { x } else { k };
            }
        }
        // a - (a - y) = y
        if let Some([x, y]) = self.args_of(b, Op::BvSub)
            && x == a
        {
            return y;
        }
        // c - (d - y) = (c - d) + y
        if let (Some(_), Some([d, y])) = (self.bits_of(a), self.args_of(b, Op::BvSub))
            && self.bits_of(d).is_some()
        {
            let constant = self.bv_sub(a, d);
            return self.bv_add(constant, y);
        }
        self.app(Op::BvSub, &[a, b], Sort::Bv(width))
    }

    pub fn bv_mul(&mut self, a: Term, b: Term) -> Term {
        let (width, a, b) = match self.ordered(Op::BvMul, a, b) {
            Ok(done) => return done,
            Err(parts) => parts,
        };
        match self.bits_of(a) {
            Some(0) => return a,
            Some(1) => return b,
            Some(bits) if bits == bits::mask(width) => return self.bv_neg(b),
            Some(bits) => {
                if let Some(merged) = self.merge_constants(Op::BvMul, a, b) {
                    return merged;
                }
                if let Some([inner]) = self.args_of(b, Op::BvNeg) {
                    let minus = self.bv(width, bits::neg(width, bits));
                    return self.bv_mul(minus, inner);
                }
            }
            None => {
                if let Some(moved) = self.constant_outside(Op::BvMul, a, b) {
                    return moved;
                }
            }
        }
        self.app(Op::BvMul, &[a, b], Sort::Bv(width))
    }

    pub fn bv_udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if let Some(bits) = self.bits_of(b) {
            if bits == 0 {
                return self.bv(width, u128::MAX);
            }
            if bits.is_power_of_two() {
                let shift = self.bv(width, u128::from(bits.trailing_zeros()));
                return self.bv_lshr(a, shift);
            }
        }
        self.plain_binary(Op::BvUdiv, a, b)
    }

    pub fn bv_urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if let Some(bits) = self.bits_of(b) {
            if bits == 0 {
                return a;
            }
            if bits.is_power_of_two() {
                let low = self.bv(width, bits - 1);
                return self.bv_and(a, low);
            }
        }
        if a == b || self.bits_of(a) == Some(0) {
            return self.bv(width, 0);
        }
        self.plain_binary(Op::BvUrem, a, b)
    }

    pub fn bv_sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        match self.bits_of(b) {
            // In one bit the only divisor is -1.
            Some(1) if width > 1 => a,
            Some(bits) if bits == bits::mask(width) => self.bv_neg(a),
            _ => self.plain_binary(Op::BvSdiv, a, b),
        }
    }

    pub fn bv_srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let bits = self.bits_of(b);
        if a == b || self.bits_of(a) == Some(0) || bits == Some(1) || bits == Some(bits::mask(width)) {
            return self.bv(width, 0);
        }
        if bits == Some(0) {
            return a;
        }
        self.plain_binary(Op::BvSrem, a, b)
    }

    /// Constants folded and conditionals between constants pushed out, or the application.
    pub(crate) fn plain_binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        if let (Some(x), Some(y)) = (self.bits_of(a), self.bits_of(b))
            && let Some(result) = bits::binary(op, width, x, y)
        {
            return self.bv(width, result);
        }
        match self.push_binary(op, a, b) {
            Some(pushed) => pushed,
            None => self.app(op, &[a, b], Sort::Bv(width)),
        }
    }

    /// The start of every commutative operator: a finished constant or conditional, or width and ordered
    /// arguments.
    pub(crate) fn ordered(&mut self, op: Op, a: Term, b: Term) -> Result<Term, (u8, Term, Term)> {
        let width = self.common_width(a, b);
        let (x, y) = (self.bits_of(a), self.bits_of(b));
        if let (Some(x), Some(y)) = (x, y)
            && let Some(result) = bits::binary(op, width, x, y)
        {
            return Ok(self.bv(width, result));
        }
        if let Some(pushed) = self.push_binary(op, a, b) {
            return Ok(pushed);
        }
        let swap = if x.is_some() || y.is_some() { y.is_some() } else { b < a };
        Err(if swap { (width, b, a) } else { (width, a, b) })
    }

    /// `k ∘ (c ∘ x)` with constants `k` and `c` of an associative operator.
    pub(crate) fn merge_constants(&mut self, op: Op, k: Term, term: Term) -> Option<Term> {
        let [c, x] = self.args_of(term, op)?;
        let width = self.bv_width(k);
        let merged = bits::binary(op, width, self.bits_of(k)?, self.bits_of(c)?)?;
        let merged = self.bv(width, merged);
        Some(self.by_operator(op, merged, x))
    }

    /// `(c ∘ x) ∘ y` with a constant `c` of an associative and commutative operator is `c ∘ (x ∘ y)`.
    pub(crate) fn constant_outside(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        for (x, y) in [(a, b), (b, a)] {
            if let Some([c, inner]) = self.args_of(x, op)
                && self.bits_of(c).is_some()
            {
                let rest = self.by_operator(op, inner, y);
                return Some(self.by_operator(op, c, rest));
            }
        }
        None
    }

    /// `ite(c, k, l) ∘ m` with constants is `ite(c, k ∘ m, l ∘ m)`.
    fn push_binary(&mut self, op: Op, a: Term, b: Term) -> Option<Term> {
        let (c, left, right) = if let (Some((c, k, l)), true) = (self.as_constant_ite(a), self.is_constant(b))
        {
            (c, [k, b], [l, b])
        } else if let (true, Some((c, k, l))) = (self.is_constant(a), self.as_constant_ite(b)) {
            (c, [a, k], [a, l])
        } else {
            return None;
        };
        let width = self.bv_width(a);
        let mut fold = |[x, y]: [Term; 2]| {
            let result = bits::binary(op, width, self.bits_of(x)?, self.bits_of(y)?)?;
            Some(self.bv(width, result))
        };
        let (then, otherwise) = (fold(left)?, fold(right)?);
        Some(self.ite(c, then, otherwise))
    }

    /// A unary operator on `ite(c, k, l)` with constants.
    pub(crate) fn push_unary(
        &mut self,
        a: Term,
        mut apply: impl FnMut(&mut Self, Term) -> Term,
    ) -> Option<Term> {
        let (c, k, l) = self.as_constant_ite(a)?;
        let (then, otherwise) = (apply(self, k), apply(self, l));
        Some(self.ite(c, then, otherwise))
    }

    fn by_operator(&mut self, op: Op, a: Term, b: Term) -> Term {
        match op {
            Op::BvAdd => self.bv_add(a, b),
            Op::BvMul => self.bv_mul(a, b),
            _ => self.bitwise(op, a, b),
        }
    }
}
