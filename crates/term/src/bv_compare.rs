//! Equality and order of bit-vectors.
//!
//! With a constant the order is written with `<=`; next to the bounds it is an equality. Extensions are taken
//! off as far as both sides allow.

use crate::bits;
use crate::kind::Op;
use crate::sort::Sort;
use crate::store::{Term, Terms};

/// The most steps in which an equation with a constant is taken apart.
const INVERSION_LIMIT: usize = 64;

/// Width, term and the bits it equals.
type Equation = (u8, Term, u128);

/// What follows from an equation with a constant, and gives it back.
enum Inverse {
    Never,
    One(Equation),
    Both(Equation, Equation),
    Equal(Term, Term),
    None,
}

impl Terms {
    pub(crate) fn eq_bv(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return Self::TRUE;
        }
        let width = self.common_width(a, b);
        if let Some(bits) = self.bits_of(b) {
            return self.eq_bv_constant(width, a, bits);
        }
        if let Some(bits) = self.bits_of(a) {
            return self.eq_bv_constant(width, b, bits);
        }
        if self.as_constant_ite(a).and(self.as_constant_ite(b)).is_some()
            && let Some(pushed) = self.push_comparison(a, |terms, leaf| terms.eq(leaf, b))
        {
            return pushed;
        }
        if let Some((x, y, _)) = self.without_extensions(a, b) {
            return self.eq(x, y);
        }
        if let (Some([k, x]), Some([l, y])) = (self.args_of(a, Op::BvAdd), self.args_of(b, Op::BvAdd)) {
            for (k, x, l, y) in [(k, x, l, y), (k, x, y, l), (x, k, l, y), (x, k, y, l)] {
                if k == l {
                    return self.eq(x, y);
                }
            }
        }
        // k + x = l + y: only the difference of the offsets counts, and the smaller one is kept.
        let ((k, x), (l, y)) = (self.without_offset(a), self.without_offset(b));
        if k != 0 || l != 0 {
            let (right, left) =
                (k.wrapping_sub(l) & bits::mask(width), l.wrapping_sub(k) & bits::mask(width));
            let (sum, other, offset) = if right <= left { (x, y, right) } else { (y, x, left) };
            if x == y {
                return self.bool(offset == 0);
            }
            let offset = self.bv(width, offset);
            let sum = self.bv_add(offset, sum);
            return self.ordered_eq(sum, other);
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Some([p, q]) = self.args_of(y, Op::BvAdd)
                && (p == x || q == x)
            {
                let zero = self.bv(width, 0);
                return self.eq(if p == x { q } else { p }, zero);
            }
            if let Some([p, q]) = self.args_of(y, Op::BvSub)
                && p == x
            {
                let zero = self.bv(width, 0);
                return self.eq(q, zero);
            }
        }
        self.ordered_eq(a, b)
    }

    /// `k + x` as `(k, x)`.
    fn without_offset(&self, term: Term) -> (u128, Term) {
        match self.args_of(term, Op::BvAdd) {
            Some([k, x]) => self.bits_of(k).map_or((0, term), |bits| (bits, x)),
            None => (0, term),
        }
    }

    fn ordered_eq(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return Self::TRUE;
        }
        self.app(Op::Eq, &[a.min(b), a.max(b)], Sort::Bool)
    }

    /// `term = bits`. Invertible operators are taken off the term; a concatenation becomes a conjunction.
    fn eq_bv_constant(&mut self, width: u8, term: Term, bits: u128) -> Term {
        let mut conjuncts = Vec::new();
        let mut todo = vec![(width, term, bits)];
        let mut steps = 0;
        while let Some((width, term, bits)) = todo.pop() {
            steps += 1;
            if let Some(known) = self.bits_of(term) {
                if known != bits {
                    return Self::FALSE;
                }
                continue;
            }
            match self.invert(width, term, bits) {
                Inverse::Never => return Self::FALSE,
                Inverse::One(next) if steps < INVERSION_LIMIT => todo.push(next),
                Inverse::Both(first, second) if steps < INVERSION_LIMIT => todo.extend([first, second]),
                Inverse::Equal(x, y) => conjuncts.push(self.eq(x, y)),
                _ => {
                    let constant = self.bv(width, bits);
                    let pushed = self.push_comparison(term, |terms, leaf| terms.eq(leaf, constant));
                    conjuncts.push(pushed.unwrap_or_else(|| self.ordered_eq(term, constant)));
                }
            }
        }
        self.and(&conjuncts)
    }

    /// What `term = bits` says about the arguments of the term.
    fn invert(&self, width: u8, term: Term, bits: u128) -> Inverse {
        let Some((op, args)) = self.as_app(term) else { return Inverse::None };
        let mask = bits::mask(width);
        match (op, args) {
            (Op::BvNot, &[x]) => Inverse::One((width, x, !bits & mask)),
            (Op::BvNeg, &[x]) => Inverse::One((width, x, bits::neg(width, bits))),
            (Op::BvAdd | Op::BvXor | Op::BvSub, &[first, x]) => match (op, self.bits_of(first)) {
                (Op::BvAdd, Some(k)) => Inverse::One((width, x, bits.wrapping_sub(k) & mask)),
                (Op::BvSub, Some(k)) => Inverse::One((width, x, k.wrapping_sub(bits) & mask)),
                (Op::BvXor, Some(k)) => Inverse::One((width, x, bits ^ k)),
                (Op::BvXor | Op::BvSub, None) if bits == 0 => Inverse::Equal(first, x),
                _ => Inverse::None,
            },
            (Op::BvZeroExtend, &[x]) => {
                let inner = self.bv_width(x);
                if bits > bits::mask(inner) { Inverse::Never } else { Inverse::One((inner, x, bits)) }
            }
            (Op::BvSignExtend, &[x]) => {
                let inner = self.bv_width(x);
                let low = bits & bits::mask(inner);
                let fits = bits::sign_extend(inner, width, low) == bits;
                if fits { Inverse::One((inner, x, low)) } else { Inverse::Never }
            }
            (Op::BvConcat, &[high, low]) => {
                let low_width = self.bv_width(low);
                let upper = bits::extract(width - 1, low_width, bits);
                let lower = bits & bits::mask(low_width);
                Inverse::Both((width - low_width, high, upper), (low_width, low, lower))
            }
            // A mask that lacks a bit of the constant, or has one that the constant lacks.
            (Op::BvAnd, &[m, _]) if self.bits_of(m).is_some_and(|m| bits & !m != 0) => Inverse::Never,
            (Op::BvOr, &[m, _]) if self.bits_of(m).is_some_and(|m| !bits & m != 0) => Inverse::Never,
            (Op::BvOr, &[x, y]) if bits == 0 => Inverse::Both((width, x, 0), (width, y, 0)),
            _ => Inverse::None,
        }
    }

    pub fn bv_ult(&mut self, a: Term, b: Term) -> Term {
        self.order(Op::BvUlt, a, b)
    }

    pub fn bv_ule(&mut self, a: Term, b: Term) -> Term {
        self.order(Op::BvUle, a, b)
    }

    pub fn bv_slt(&mut self, a: Term, b: Term) -> Term {
        self.order(Op::BvSlt, a, b)
    }

    pub fn bv_sle(&mut self, a: Term, b: Term) -> Term {
        self.order(Op::BvSle, a, b)
    }

    pub fn bv_ugt(&mut self, a: Term, b: Term) -> Term {
        self.bv_ult(b, a)
    }

    pub fn bv_uge(&mut self, a: Term, b: Term) -> Term {
        self.bv_ule(b, a)
    }

    pub fn bv_sgt(&mut self, a: Term, b: Term) -> Term {
        self.bv_slt(b, a)
    }

    pub fn bv_sge(&mut self, a: Term, b: Term) -> Term {
        self.bv_sle(b, a)
    }

    fn order(&mut self, op: Op, a: Term, b: Term) -> Term {
        let width = self.common_width(a, b);
        let (signed, strict) = (matches!(op, Op::BvSlt | Op::BvSle), matches!(op, Op::BvUlt | Op::BvSlt));
        if a == b {
            return self.bool(!strict);
        }
        let (left, right) = (self.bits_of(a), self.bits_of(b));
        if let (Some(x), Some(y)) = (left, right)
            && let Some(result) = bits::compare(op, width, x, y)
        {
            return self.bool(result);
        }
        let both = self.as_constant_ite(a).and(self.as_constant_ite(b)).is_some();
        if (right.is_some() || both)
            && let Some(pushed) = self.push_comparison(a, |terms, leaf| terms.order(op, leaf, b))
        {
            return pushed;
        }
        if left.is_some()
            && let Some(pushed) = self.push_comparison(b, |terms, leaf| terms.order(op, a, leaf))
        {
            return pushed;
        }
        if let Some((x, y, keeps_sign)) = self.without_extensions(a, b) {
            // Sign extension keeps both orders; zero extension makes both the unsigned one.
            let op = match (op, keeps_sign) {
                (Op::BvSlt, false) => Op::BvUlt,
                (Op::BvSle, false) => Op::BvUle,
                _ => op,
            };
            return self.order(op, x, y);
        }
        let (least, greatest) = match signed {
            true => (bits::signed_min(width), bits::signed_max(width)),
            false => (0, bits::mask(width)),
        };
        match (left, right) {
            (None, Some(k)) => {
                if strict {
                    if k == least {
                        return Self::FALSE;
                    }
                    let below = self.bv(width, k.wrapping_sub(1));
                    return self.order(if signed { Op::BvSle } else { Op::BvUle }, a, below);
                }
                if k == greatest {
                    return Self::TRUE;
                }
                if k == least {
                    return self.eq_bv_constant(width, a, k);
                }
                // x <= max - 1
                if k == greatest.wrapping_sub(1) & bits::mask(width) {
                    let equal = self.eq_bv_constant(width, a, greatest);
                    return self.not(equal);
                }
                if let Some(decided) = self.extended_below(a, k, width, signed) {
                    return decided;
                }
            }
            (Some(k), None) => {
                if strict {
                    if k == greatest {
                        return Self::FALSE;
                    }
                    let above = self.bv(width, k.wrapping_add(1));
                    return self.order(if signed { Op::BvSle } else { Op::BvUle }, above, b);
                }
                if k == least {
                    return Self::TRUE;
                }
                if k == greatest {
                    return self.eq_bv_constant(width, b, k);
                }
                if k == least.wrapping_add(1) & bits::mask(width) {
                    let equal = self.eq_bv_constant(width, b, least);
                    return self.not(equal);
                }
                // k <= x is not (x <= k - 1).
                if let Some(decided) =
                    self.extended_below(b, k.wrapping_sub(1) & bits::mask(width), width, signed)
                {
                    return self.not(decided);
                }
            }
            _ => {}
        }
        self.app(op, &[a, b], Sort::Bool)
    }

    /// `term <= k` for an extended term and a constant that need not fit into the inner width.
    fn extended_below(&mut self, term: Term, k: u128, width: u8, signed: bool) -> Option<Term> {
        if let Some([inner]) = self.args_of(term, Op::BvZeroExtend) {
            let inner_width = self.bv_width(inner);
            if signed && bits::to_signed(width, k) < 0 {
                return Some(Self::FALSE);
            }
            if k >= bits::mask(inner_width) {
                return Some(Self::TRUE);
            }
            let bound = self.bv(inner_width, k);
            return Some(self.bv_ule(inner, bound));
        }
        if let Some([inner]) = self.args_of(term, Op::BvSignExtend)
            && signed
        {
            let inner_width = self.bv_width(inner);
            let bound = bits::to_signed(width, k);
            if bound >= bits::signed_max(inner_width) as i128 {
                return Some(Self::TRUE);
            }
            if bound < bits::to_signed(inner_width, bits::signed_min(inner_width)) {
                return Some(Self::FALSE);
            }
            let bound = self.bv_signed(inner_width, bound);
            return Some(self.bv_sle(inner, bound));
        }
        None
    }

    /// Both sides without an extension that does not matter for their comparison, and whether the sign was
    /// kept. Constants do not count as extended.
    fn without_extensions(&mut self, a: Term, b: Term) -> Option<(Term, Term, bool)> {
        for op in [Op::BvZeroExtend, Op::BvSignExtend] {
            if let (Some([x]), Some([y])) = (self.args_of(a, op), self.args_of(b, op)) {
                let width = self.bv_width(x).max(self.bv_width(y));
                let keeps_sign = op == Op::BvSignExtend;
                let (x, y) = match keeps_sign {
                    true => (self.bv_sign_extend(x, width), self.bv_sign_extend(y, width)),
                    false => (self.bv_zero_extend(x, width), self.bv_zero_extend(y, width)),
                };
                return Some((x, y, keeps_sign));
            }
        }
        None
    }
}
