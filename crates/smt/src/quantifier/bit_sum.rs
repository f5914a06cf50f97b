//! Sums of bit-vectors: `c₁·t₁ + … + cₙ·tₙ + k` modulo 2ʷ, so that equations between them can be compared and
//! solved.

use super::equation::inverse;
use crate::interpolate::problem::Vocabulary;
use rustc_hash::FxHashMap;
use summa_term::{Op, Sort, Term, Terms, bits};

/// More nodes than this are not looked through.
const NODE_LIMIT: usize = 200;

/// A sum; atoms are sorted and different, factors are not zero.
pub(crate) struct BitSum {
    width: u8,
    monomials: Vec<(Term, u128)>,
    constant: u128,
}

impl BitSum {
    /// `left - right`; `None` if these are no bit-vectors, or too large.
    pub(crate) fn difference(terms: &Terms, left: Term, right: Term) -> Option<Self> {
        let Sort::Bv(width) = terms.sort(left) else { return None };
        let mut factors: FxHashMap<Term, u128> = FxHashMap::default();
        let mut constant = 0u128;
        let mut stack = vec![(left, 1u128), (right, u128::MAX)];
        let mut visited = 0;
        while let Some((term, factor)) = stack.pop() {
            visited += 1;
            if visited > NODE_LIMIT {
                return None;
            }
            if let Some((_, value)) = terms.as_bv(term) {
                constant = constant.wrapping_add(factor.wrapping_mul(value));
                continue;
            }
            match terms.as_app(term) {
                Some((Op::BvAdd, args)) => stack.extend(args.iter().map(|&arg| (arg, factor))),
                Some((Op::BvSub, &[a, b])) => stack.extend([(a, factor), (b, factor.wrapping_neg())]),
                Some((Op::BvNeg, &[a])) => stack.push((a, factor.wrapping_neg())),
                Some((Op::BvNot, &[a])) => {
                    // ¬a = -a - 1
                    stack.push((a, factor.wrapping_neg()));
                    constant = constant.wrapping_sub(factor);
                }
                Some((Op::BvMul, &[a, b])) => match (terms.as_bv(a), terms.as_bv(b)) {
                    (Some((_, value)), _) => stack.push((b, factor.wrapping_mul(value))),
                    (_, Some((_, value))) => stack.push((a, factor.wrapping_mul(value))),
                    _ => add(&mut factors, term, factor),
                },
                _ => add(&mut factors, term, factor),
            }
        }
        let mask = bits::mask(width);
        let mut monomials: Vec<(Term, u128)> = factors
            .into_iter()
            .map(|(atom, factor)| (atom, factor & mask))
            .filter(|&(_, factor)| factor != 0)
            .collect();
        monomials.sort_unstable();
        Some(Self { width, monomials, constant: constant & mask })
    }

    /// Does `sum = 0` hold always or never?
    pub(crate) fn is_always_zero(&self) -> Option<bool> {
        if self.monomials.is_empty() {
            return Some(self.constant == 0);
        }
        // All factors even and the constant odd: the lowest bit is one.
        let even = self.monomials.iter().all(|(_, factor)| factor & 1 == 0);
        (even && self.constant & 1 == 1).then_some(false)
    }

    /// What `symbol` is if the sum is zero: for an odd factor, and if no other atom has the symbol.
    pub(crate) fn solve(&self, terms: &mut Terms, symbol: Term) -> Option<Term> {
        let &(_, factor) = self.monomials.iter().find(|&&(atom, _)| atom == symbol)?;
        let scale = inverse(factor)?.wrapping_neg();
        let mask = bits::mask(self.width);
        let mut value = terms.bv(self.width, self.constant.wrapping_mul(scale) & mask);
        for &(atom, factor) in self.monomials.iter().filter(|&&(atom, _)| atom != symbol) {
            if Vocabulary::of(terms, atom).has(symbol) {
                return None;
            }
            let factor = terms.bv(self.width, factor.wrapping_mul(scale) & mask);
            let product = terms.bv_mul(factor, atom);
            value = terms.bv_add(value, product);
        }
        Some(value)
    }
}

fn add(factors: &mut FxHashMap<Term, u128>, atom: Term, factor: u128) {
    let entry = factors.entry(atom).or_default();
    *entry = entry.wrapping_add(factor);
}

/// The formula, or `true` or `false` if it is an equation of sums (or its negation) that always or never
/// holds.
pub(crate) fn decided(terms: &Terms, formula: Term) -> Term {
    let (equation, positive) = match terms.as_app(formula) {
        Some((Op::Not, &[inner])) => (inner, false),
        _ => (formula, true),
    };
    let Some((Op::Eq, &[left, right])) = terms.as_app(equation) else { return formula };
    match BitSum::difference(terms, left, right).and_then(|sum| sum.is_always_zero()) {
        Some(holds) => terms.bool(holds == positive),
        None => formula,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_compared_and_solved() {
        let mut terms = Terms::new();
        let family = terms.declare("x", Sort::Bv(8));
        let [x, y, n] = [0, 1, 2].map(|version| terms.symbol(family, version));
        let one = terms.bv(8, 1);
        // (n - y) - 1 and n - (y + 1)
        let difference = terms.bv_sub(n, y);
        let left = terms.bv_sub(difference, one);
        let next = terms.bv_add(y, one);
        let right = terms.bv_sub(n, next);
        assert_eq!(BitSum::difference(&terms, left, right).unwrap().is_always_zero(), Some(true));
        assert_eq!(BitSum::difference(&terms, left, difference).unwrap().is_always_zero(), Some(false));
        let three = terms.bv(8, 3);
        let product = terms.bv_mul(three, x);
        let solved = BitSum::difference(&terms, product, y).unwrap().solve(&mut terms, x).unwrap();
        let again = terms.bv_mul(three, solved);
        assert_eq!(BitSum::difference(&terms, again, y).unwrap().is_always_zero(), Some(true));
    }
}
