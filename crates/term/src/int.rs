//! Builders of integer terms. Sums and comparisons are kept in linear normal form, see `linear.rs`.
//!
//! Division and remainder are Euclidean; by zero they may be anything, so no rule assumes a value there. C's
//! truncating division is built from them.

use crate::kind::{Kind, Op};
use crate::linear::Linear;
use crate::sort::Sort;
use crate::store::{Term, Terms};
use dashu_int::IBig;
use dashu_int::ops::{Abs, DivEuclid, Gcd, RemEuclid};

impl Terms {
    pub fn int(&mut self, value: impl Into<IBig>) -> Term {
        self.intern(Kind::Int(value.into()), Sort::Int)
    }

    pub fn add(&mut self, args: &[Term]) -> Term {
        let mut sum = Linear::default();
        for &arg in args {
            self.expect_sort(arg, Sort::Int, "+");
            self.accumulate(&mut sum, &IBig::ONE, arg);
        }
        sum.normalize();
        self.from_linear(&sum)
    }

    pub fn add2(&mut self, a: Term, b: Term) -> Term {
        self.add(&[a, b])
    }

    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let sum = self.difference(a, b, "-");
        self.from_linear(&sum)
    }

    pub fn neg(&mut self, a: Term) -> Term {
        self.scaled(-IBig::ONE, a)
    }

    /// `factor · a`.
    pub fn scaled(&mut self, factor: impl Into<IBig>, a: Term) -> Term {
        self.expect_sort(a, Sort::Int, "*");
        let factor = factor.into();
        if factor.is_one() {
            return a;
        }
        let mut sum = self.linear(a);
        sum.scale(&factor);
        self.from_linear(&sum)
    }

    /// `a - b` as a linear form.
    #[track_caller]
    fn difference(&self, a: Term, b: Term, what: &str) -> Linear {
        self.expect_sort(a, Sort::Int, what);
        self.expect_sort(b, Sort::Int, what);
        let mut sum = Linear::default();
        self.accumulate(&mut sum, &IBig::ONE, a);
        self.accumulate(&mut sum, &-IBig::ONE, b);
        sum.normalize();
        sum
    }

    /// A product. Without a constant it is not linear: then the common factors of both sides stand before it.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int, "*");
        self.expect_sort(b, Sort::Int, "*");
        if let Some(factor) = self.as_int(a) {
            return self.scaled(factor.clone(), b);
        }
        if let Some(factor) = self.as_int(b) {
            return self.scaled(factor.clone(), a);
        }
        let (factor_a, a) = self.without_content(a);
        let (factor_b, b) = self.without_content(b);
        let product = self.app(Op::Mul, &[a.min(b), a.max(b)], Sort::Int);
        self.scaled(factor_a * factor_b, product)
    }

    /// `term = factor · rest` where the coefficients and the constant of `rest` have no common factor and the
    /// first coefficient is positive.
    fn without_content(&mut self, term: Term) -> (IBig, Term) {
        let mut sum = self.linear(term);
        let mut content = sum.content();
        if !sum.constant.is_zero() {
            content = IBig::from(content.gcd(&sum.constant));
        }
        if sum.monomials.first().is_some_and(|(_, c)| *c < IBig::ZERO) {
            content = -content;
        }
        if content.is_one() || content.is_zero() {
            return (IBig::ONE, term);
        }
        sum.monomials.iter_mut().for_each(|(_, c)| *c /= &content);
        sum.constant /= &content;
        (content, self.from_linear(&sum))
    }

    /// Euclidean division.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int, "div");
        self.expect_sort(b, Sort::Int, "div");
        let divisor = match self.as_int(b) {
            Some(divisor) if !divisor.is_zero() => divisor.clone(),
            _ => return self.app(Op::Div, &[a, b], Sort::Int),
        };
        if divisor < IBig::ZERO {
            let positive = self.int(-divisor);
            let quotient = self.div(a, positive);
            return self.neg(quotient);
        }
        let mut rest = self.linear(a);
        // (d·s + r) div d = s + r div d
        let mut whole = Linear::default();
        rest.monomials.retain(|(atom, c)| {
            let divides = c.rem_euclid(&divisor).is_zero();
            if divides {
                whole.monomials.push((*atom, c / &divisor));
            }
            !divides
        });
        whole.constant = (&rest.constant).div_euclid(&divisor);
        rest.constant = IBig::from((&rest.constant).rem_euclid(&divisor));
        let quotient = self.div_remaining(rest, divisor);
        self.accumulate(&mut whole, &IBig::ONE, quotient);
        whole.normalize();
        self.from_linear(&whole)
    }

    /// `rest div divisor` where no coefficient is a multiple of the divisor and `0 <= constant < divisor`.
    fn div_remaining(&mut self, mut rest: Linear, mut divisor: IBig) -> Term {
        if rest.monomials.is_empty() {
            return self.int(0);
        }
        // (g·s + r) div (g·d) = (s + r div g) div d
        let common = IBig::from(rest.content().gcd(&divisor));
        if !common.is_one() {
            rest.monomials.iter_mut().for_each(|(_, c)| *c /= &common);
            rest.constant = rest.constant.div_euclid(&common);
            divisor /= &common;
        }
        // (y div e + k) div d = (y + k·e) div (e·d)
        if let [(atom, coefficient)] = &rest.monomials[..]
            && coefficient.is_one()
            && let Some([inner, by]) = self.args_of(*atom, Op::Div)
            && let Some(inner_divisor) = self.as_int(by).filter(|e| **e > IBig::ZERO).cloned()
        {
            let offset = self.int(&rest.constant * &inner_divisor);
            let dividend = self.add2(inner, offset);
            let divisor = self.int(divisor * inner_divisor);
            return self.div(dividend, divisor);
        }
        let range = self.linear_range(&rest, 2);
        if let (Some(low), Some(high)) = (range.low, range.high) {
            let (low, high) = (low.div_euclid(&divisor), high.div_euclid(&divisor));
            if low == high {
                return self.int(low);
            }
        }
        let dividend = self.from_linear(&rest);
        let divisor = self.int(divisor);
        self.app(Op::Div, &[dividend, divisor], Sort::Int)
    }

    /// Euclidean remainder: never negative.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Int, "mod");
        self.expect_sort(b, Sort::Int, "mod");
        let modulus = match self.as_int(b) {
            Some(modulus) if !modulus.is_zero() => modulus.abs(),
            _ => return self.app(Op::Mod, &[a, b], Sort::Int),
        };
        let largest = &modulus - IBig::ONE;
        if self.int_range(a).is_within(&IBig::ZERO, &largest) {
            return a;
        }
        let mut sum = self.without_inner_modulo(self.linear(a), &modulus);
        for (_, coefficient) in &mut sum.monomials {
            *coefficient = centered(coefficient, &modulus);
        }
        sum.monomials.retain(|(_, c)| !c.is_zero());
        if sum.monomials.is_empty() {
            return self.int(sum.constant.rem_euclid(&modulus));
        }
        sum.constant = centered(&sum.constant, &modulus);
        if self.linear_range(&sum, 2).is_within(&IBig::ZERO, &largest) {
            return self.from_linear(&sum);
        }
        // (g·s) mod (g·m) = g·(s mod m)
        let mut common = IBig::from(sum.content().gcd(&modulus));
        if !sum.constant.is_zero() {
            common = IBig::from(common.gcd(&sum.constant));
        }
        if !common.is_one() {
            sum.monomials.iter_mut().for_each(|(_, c)| *c /= &common);
            sum.constant /= &common;
            let inner = self.from_linear(&sum);
            let modulus = self.int(modulus / &common);
            let remainder = self.modulo(inner, modulus);
            return self.scaled(common, remainder);
        }
        let dividend = self.from_linear(&sum);
        let modulus = self.int(modulus);
        self.app(Op::Mod, &[dividend, modulus], Sort::Int)
    }

    /// `c·(y mod n)` is `c·y` modulo `m` if `m` divides `c·n`.
    fn without_inner_modulo(&self, mut sum: Linear, modulus: &IBig) -> Linear {
        // Inner terms are normalised already, so there are few rounds.
        for _ in 0..4 {
            let inner_dividend = |(atom, coefficient): &(Term, IBig)| {
                let [dividend, by] = self.args_of(*atom, Op::Mod)?;
                let inner = self.as_int(by)?;
                (coefficient * inner).rem_euclid(modulus).is_zero().then_some(dividend)
            };
            if !sum.monomials.iter().any(|m| inner_dividend(m).is_some()) {
                break;
            }
            let mut next = Linear { monomials: Vec::new(), constant: sum.constant.clone() };
            for monomial in &sum.monomials {
                match inner_dividend(monomial) {
                    Some(dividend) => self.accumulate(&mut next, &monomial.1, dividend),
                    None => next.monomials.push(monomial.clone()),
                }
            }
            next.normalize();
            sum = next;
        }
        sum
    }

    pub fn le(&mut self, a: Term, b: Term) -> Term {
        let sum = self.difference(a, b, "<=");
        self.le_zero(sum)
    }

    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        let mut sum = self.difference(a, b, "<");
        sum.constant += IBig::ONE;
        self.le_zero(sum)
    }

    pub fn ge(&mut self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    pub fn gt(&mut self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    pub(crate) fn eq_int(&mut self, a: Term, b: Term) -> Term {
        let sum = self.difference(a, b, "=");
        self.eq_zero(sum)
    }

    /// C's `/`: towards zero. Any value for `b = 0`.
    pub fn truncated_div(&mut self, a: Term, b: Term) -> Term {
        self.by_sign_of_dividend(a, b, Self::div)
    }

    /// C's `%`: the sign of the dividend. Any value for `b = 0`.
    pub fn truncated_rem(&mut self, a: Term, b: Term) -> Term {
        self.by_sign_of_dividend(a, b, Self::modulo)
    }

    /// Truncating division is odd in the dividend and Euclidean for positive ones, whatever the sign of the
    /// divisor.
    fn by_sign_of_dividend(
        &mut self,
        a: Term,
        b: Term,
        euclidean: fn(&mut Self, Term, Term) -> Term,
    ) -> Term {
        let zero = self.int(0);
        let is_positive = self.le(zero, a);
        if is_positive == Self::TRUE {
            return euclidean(self, a, b);
        }
        let minus_a = self.neg(a);
        let mirrored = euclidean(self, minus_a, b);
        let negative = self.neg(mirrored);
        if is_positive == Self::FALSE {
            return negative;
        }
        let positive = euclidean(self, a, b);
        self.ite(is_positive, positive, negative)
    }
}

/// The representative of a residue class nearest to zero (the positive one of two).
fn centered(value: &IBig, modulus: &IBig) -> IBig {
    let residue = IBig::from(value.rem_euclid(modulus));
    if &residue * IBig::from(2) > *modulus { residue - modulus } else { residue }
}
