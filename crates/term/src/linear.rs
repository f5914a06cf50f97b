//! Linear normal form of integer terms: `c₁·t₁ + … + cₙ·tₙ + k` with different atoms `tᵢ` sorted by id and
//! `cᵢ ≠ 0`.
//!
//! As a term this is an `Add` of the monomials in that order with the constant last; a monomial is the atom
//! or `Mul(cᵢ, tᵢ)`. So equal sums are equal terms. An atom is any integer term that is no sum, constant or
//! monomial. Comparisons are divided by the greatest common divisor of the coefficients (the constant is
//! tightened), and written with positive coefficients only: `x - y <= 3` is `x <= y + 3`. There is no `Lt`
//! between integers.

use crate::kind::{Kind, Op};
use crate::sort::Sort;
use crate::store::{Term, Terms};
use dashu_int::IBig;
use dashu_int::ops::{Abs, DivEuclid, Gcd, RemEuclid};

/// How deep and how wide [`Terms::int_range`] looks.
const RANGE_DEPTH: u32 = 3;
const RANGE_WIDTH: usize = 8;

/// `Σ monomials + constant`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linear {
    /// Atoms and coefficients; sorted, different, not zero.
    pub monomials: Vec<(Term, IBig)>,
    pub constant: IBig,
}

/// Bounds that hold for every assignment; `None` is unbounded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub low: Option<IBig>,
    pub high: Option<IBig>,
}

impl Range {
    /// Only values from `low` to `high`?
    pub fn is_within(&self, low: &IBig, high: &IBig) -> bool {
        self.low.as_ref().is_some_and(|l| l >= low) && self.high.as_ref().is_some_and(|h| h <= high)
    }

    fn plus(self, other: Self) -> Self {
        let sum = |a: Option<IBig>, b: Option<IBig>| Some(a? + b?);
        Self { low: sum(self.low, other.low), high: sum(self.high, other.high) }
    }

    fn times(self, factor: &IBig) -> Self {
        let (low, high) = (self.low.map(|l| l * factor), self.high.map(|h| h * factor));
        if *factor < IBig::ZERO { Self { low: high, high: low } } else { Self { low, high } }
    }

    fn is_unbounded(&self) -> bool {
        self.low.is_none() && self.high.is_none()
    }
}

impl Linear {
    /// Sorts and merges the monomials.
    pub(crate) fn normalize(&mut self) {
        if self.monomials.windows(2).all(|pair| pair[0].0 < pair[1].0) {
            self.monomials.retain(|(_, c)| !c.is_zero());
            return;
        }
        self.monomials.sort_by_key(|&(atom, _)| atom);
        self.monomials.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += &later.1;
            }
            same
        });
        self.monomials.retain(|(_, c)| !c.is_zero());
    }

    /// The greatest common divisor of the coefficients; zero if there are none.
    pub fn content(&self) -> IBig {
        let mut content = IBig::ZERO;
        for (_, c) in &self.monomials {
            if content.is_one() {
                break;
            }
            content = if content.is_zero() { c.abs() } else { IBig::from((&content).gcd(c)) };
        }
        content
    }

    pub fn scale(&mut self, factor: &IBig) {
        if factor.is_one() {
            return;
        }
        self.monomials.iter_mut().for_each(|(_, c)| *c *= factor);
        self.constant *= factor;
        if factor.is_zero() {
            self.monomials.clear();
        }
    }
}

impl Terms {
    /// The linear form of an integer term.
    pub fn linear(&self, term: Term) -> Linear {
        let mut sum = Linear::default();
        self.accumulate(&mut sum, &IBig::ONE, term);
        sum.normalize();
        sum
    }

    /// Adds `factor · term`; the caller normalises.
    pub(crate) fn accumulate(&self, sum: &mut Linear, factor: &IBig, term: Term) {
        match self.kind(term) {
            Kind::Int(value) => sum.constant += factor * value,
            Kind::App(Op::Add, args) => {
                for &arg in args {
                    match self.kind(arg) {
                        Kind::Int(value) => sum.constant += factor * value,
                        _ => self.accumulate_monomial(sum, factor, arg),
                    }
                }
            }
            _ => self.accumulate_monomial(sum, factor, term),
        }
    }

    fn accumulate_monomial(&self, sum: &mut Linear, factor: &IBig, term: Term) {
        if let Some([first, atom]) = self.args_of(term, Op::Mul)
            && let Some(coefficient) = self.as_int(first)
        {
            sum.monomials.push((atom, factor * coefficient));
        } else {
            sum.monomials.push((term, factor.clone()));
        }
    }

    /// The term of a linear form.
    pub fn from_linear(&mut self, sum: &Linear) -> Term {
        self.sum_of(sum.monomials.iter().map(|(atom, c)| (*atom, c.clone())), &sum.constant)
    }

    fn sum_of(&mut self, monomials: impl Iterator<Item = (Term, IBig)>, constant: &IBig) -> Term {
        let mut args = Vec::with_capacity(monomials.size_hint().0 + 1);
        for (atom, coefficient) in monomials {
            args.push(if coefficient.is_one() {
                atom
            } else {
                let coefficient = self.int(coefficient);
                self.app(Op::Mul, &[coefficient, atom], Sort::Int)
            });
        }
        if args.is_empty() || !constant.is_zero() {
            args.push(self.int(constant.clone()));
        }
        match args[..] {
            [only] => only,
            _ => self.app(Op::Add, &args, Sort::Int),
        }
    }

    /// `sum <= 0`.
    pub(crate) fn le_zero(&mut self, mut sum: Linear) -> Term {
        if sum.monomials.is_empty() {
            return self.bool(sum.constant <= IBig::ZERO);
        }
        let content = sum.content();
        if !content.is_one() {
            sum.monomials.iter_mut().for_each(|(_, c)| *c /= &content);
            // Σ <= -k/g, rounded down: the only values of Σ are integers.
            sum.constant = -((-sum.constant).div_euclid(&content));
        }
        let range = self.linear_range(&sum, RANGE_DEPTH);
        if range.high.is_some_and(|high| high <= IBig::ZERO) {
            return Self::TRUE;
        }
        if range.low.is_some_and(|low| low > IBig::ZERO) {
            return Self::FALSE;
        }
        if let Some(pushed) = self.push_linear(&sum, Self::le_zero) {
            return pushed;
        }
        let (left, right) = self.split(&sum);
        self.app(Op::Le, &[left, right], Sort::Bool)
    }

    /// `sum = 0`.
    pub(crate) fn eq_zero(&mut self, mut sum: Linear) -> Term {
        if sum.monomials.is_empty() {
            return self.bool(sum.constant.is_zero());
        }
        let mut content = sum.content();
        if !(&sum.constant).rem_euclid(&content).is_zero() {
            return Self::FALSE;
        }
        if sum.monomials[0].1 < IBig::ZERO {
            content = -content;
        }
        if !content.is_one() {
            sum.monomials.iter_mut().for_each(|(_, c)| *c /= &content);
            sum.constant /= &content;
        }
        let range = self.linear_range(&sum, RANGE_DEPTH);
        if range.high.is_some_and(|high| high < IBig::ZERO) || range.low.is_some_and(|low| low > IBig::ZERO) {
            return Self::FALSE;
        }
        if let Some(pushed) = self.push_linear(&sum, Self::eq_zero) {
            return pushed;
        }
        let (left, right) = self.split(&sum);
        self.app(Op::Eq, &[left, right], Sort::Bool)
    }

    /// A comparison of `c · ite(d, x, y) + k`, pushed into the branches; also of two conditionals between
    /// constants.
    fn push_linear(&mut self, sum: &Linear, compare: fn(&mut Self, Linear) -> Term) -> Option<Term> {
        let ((atom, coefficient), rest) = sum.monomials.split_first()?;
        let simple = match rest {
            [] => true,
            [(other, _)] => self.as_constant_ite(*atom).and(self.as_constant_ite(*other)).is_some(),
            _ => false,
        };
        if !simple {
            return None;
        }
        self.push_comparison(*atom, |terms, branch| {
            let mut inner = Linear { monomials: rest.to_vec(), constant: sum.constant.clone() };
            terms.accumulate(&mut inner, coefficient, branch);
            inner.normalize();
            compare(terms, inner)
        })
    }

    /// Left and right side of `sum ⋈ 0` with positive coefficients; the constant stands alone if a side has
    /// no atoms, and otherwise where it is positive.
    fn split(&mut self, sum: &Linear) -> (Term, Term) {
        let positive = |(_, c): &&(Term, IBig)| *c > IBig::ZERO;
        let on_left = sum.monomials.iter().filter(positive).count();
        let constant_left = if on_left == 0 {
            true
        } else if on_left == sum.monomials.len() {
            false
        } else {
            sum.constant > IBig::ZERO
        };
        let minus = -&sum.constant;
        let (left_constant, right_constant) =
            if constant_left { (&sum.constant, &IBig::ZERO) } else { (&IBig::ZERO, &minus) };
        let left = sum.monomials.iter().filter(positive).cloned();
        let left = self.sum_of(left, left_constant);
        let right = sum.monomials.iter().filter(|m| !positive(m)).map(|(atom, c)| (*atom, -c));
        let right = self.sum_of(right, right_constant);
        (left, right)
    }

    /// Bounds of an integer term that its outermost operators show.
    pub fn int_range(&self, term: Term) -> Range {
        self.range_to_depth(term, RANGE_DEPTH)
    }

    pub(crate) fn linear_range(&self, sum: &Linear, depth: u32) -> Range {
        if sum.monomials.len() > RANGE_WIDTH {
            return Range::default();
        }
        let mut total = Range { low: Some(sum.constant.clone()), high: Some(sum.constant.clone()) };
        for (atom, coefficient) in &sum.monomials {
            let range = self.range_to_depth(*atom, depth);
            if range.is_unbounded() {
                return range;
            }
            total = total.plus(range.times(coefficient));
        }
        total
    }

    fn range_to_depth(&self, term: Term, depth: u32) -> Range {
        match self.kind(term) {
            Kind::Int(value) => Range { low: Some(value.clone()), high: Some(value.clone()) },
            Kind::App(op, args) if depth > 0 => match op {
                Op::Mod => {
                    let Some(modulus) = self.as_int(args[1]).filter(|m| !m.is_zero()) else {
                        return Range::default();
                    };
                    Range { low: Some(IBig::ZERO), high: Some(modulus.abs() - 1) }
                }
                Op::Div => {
                    let Some(divisor) = self.as_int(args[1]).filter(|d| **d > IBig::ZERO) else {
                        return Range::default();
                    };
                    let inner = self.range_to_depth(args[0], depth - 1);
                    let divide = |bound: IBig| bound.div_euclid(divisor);
                    Range { low: inner.low.map(divide), high: inner.high.map(divide) }
                }
                Op::Ite => {
                    let (a, b) =
                        (self.range_to_depth(args[1], depth - 1), self.range_to_depth(args[2], depth - 1));
                    let pick = |a: Option<IBig>, b: Option<IBig>, f: fn(IBig, IBig) -> IBig| Some(f(a?, b?));
                    Range { low: pick(a.low, b.low, Ord::min), high: pick(a.high, b.high, Ord::max) }
                }
                Op::Add if args.len() <= RANGE_WIDTH => self.linear_range(&self.linear(term), depth - 1),
                Op::Mul => match self.as_int(args[0]) {
                    Some(factor) => self.range_to_depth(args[1], depth - 1).times(factor),
                    None => Range::default(),
                },
                _ => Range::default(),
            },
            _ => Range::default(),
        }
    }
}
