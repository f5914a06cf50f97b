//! Polynomials over atoms, with integers or integers modulo 2ʷ as coefficients.
//!
//! Sums and products of bit-vectors form a commutative ring, and so do those of integers. So two terms with
//! the same polynomial are equal for all values of their atoms. An [`Ideal`] says more: which polynomials are
//! zero wherever some given ones are. If an atom occurs in an equation once, alone, and with an invertible
//! coefficient, the equation is solved for it, and the solution replaces the atom everywhere, which is exact.
//! By equations that cannot be solved it divides, using their leading monomials (degree first, then
//! lexicographic).
//!
//! Limits: the division is by the given polynomials, not by a Gröbner basis of them, so [`Ideal::contains`]
//! may miss a member. Polynomials with too many monomials or too high a degree are left out.

use crate::store::Term;
use dashu_int::IBig;
use dashu_int::ops::RemEuclid;
use std::collections::BTreeMap;

/// Larger polynomials are not computed.
const MAX_MONOMIALS: usize = 400;
const MAX_DEGREE: u32 = 16;
/// Steps of one division.
const MAX_STEPS: usize = 400;

/// The ring of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Ring {
    Integers,
    /// Integers modulo 2ʷ.
    Bits(u8),
}

impl Ring {
    fn normal(self, coefficient: IBig) -> IBig {
        match self {
            Self::Integers => coefficient,
            Self::Bits(width) => coefficient.rem_euclid(IBig::ONE << usize::from(width)).into(),
        }
    }

    /// An `x` with `x · by = of`, if one is easy to find.
    fn quotient(self, of: &IBig, by: &IBig) -> Option<IBig> {
        match self {
            Self::Integers => (of % by).is_zero().then(|| of / by),
            Self::Bits(width) => {
                let twos = by.trailing_zeros()?;
                if of.trailing_zeros().is_some_and(|more| more < twos) {
                    return None;
                }
                let inverse = inverse_of_odd(&(by >> twos), width);
                Some(self.normal((of >> twos) * inverse))
            }
        }
    }

    fn inverse(self, of: &IBig) -> Option<IBig> {
        self.quotient(&IBig::ONE, of)
    }
}

/// The inverse modulo 2ʷ, by Newton's iteration: each round doubles the bits that are right.
fn inverse_of_odd(odd: &IBig, width: u8) -> IBig {
    let ring = Ring::Bits(width);
    let mut inverse = odd.clone();
    for _ in 0..7 {
        inverse = ring.normal(&inverse * (IBig::from(2) - odd * &inverse));
    }
    inverse
}

/// A product of atoms, each with its exponent; ordered by degree, then lexicographically.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Monomial {
    degree: u32,
    /// Sorted by atom; exponents are not zero.
    powers: Vec<(Term, u32)>,
}

impl Monomial {
    fn of(powers: Vec<(Term, u32)>) -> Self {
        Self { degree: powers.iter().map(|&(_, power)| power).sum(), powers }
    }

    fn power(&self, atom: Term) -> u32 {
        self.powers.iter().find(|&&(other, _)| other == atom).map_or(0, |&(_, power)| power)
    }

    fn times(&self, other: &Self) -> Self {
        let mut powers: BTreeMap<Term, u32> = self.powers.iter().copied().collect();
        for &(atom, power) in &other.powers {
            *powers.entry(atom).or_default() += power;
        }
        Self::of(powers.into_iter().collect())
    }

    /// The monomial that makes this one out of the other.
    fn quotient(&self, by: &Self) -> Option<Self> {
        if by.powers.iter().any(|&(atom, power)| self.power(atom) < power) {
            return None;
        }
        let left = self.powers.iter().map(|&(atom, power)| (atom, power - by.power(atom)));
        Some(Self::of(left.filter(|&(_, power)| power > 0).collect()))
    }

    fn without(&self, atom: Term) -> Self {
        Self::of(self.powers.iter().copied().filter(|&(other, _)| other != atom).collect())
    }
}

/// A sum of monomials with coefficients that are not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polynomial {
    ring: Ring,
    monomials: BTreeMap<Monomial, IBig>,
}

impl Polynomial {
    pub fn constant(ring: Ring, value: IBig) -> Self {
        let mut constant = Self { ring, monomials: BTreeMap::new() };
        constant.add_monomial(Monomial::default(), value);
        constant
    }

    pub fn atom(ring: Ring, atom: Term) -> Self {
        let mut polynomial = Self { ring, monomials: BTreeMap::new() };
        polynomial.add_monomial(Monomial::of(vec![(atom, 1)]), IBig::ONE);
        polynomial
    }

    pub fn is_zero(&self) -> bool {
        self.monomials.is_empty()
    }

    /// Is it a constant other than zero?
    pub fn is_nonzero_constant(&self) -> bool {
        self.monomials.len() == 1 && self.monomials.keys().all(|monomial| monomial.degree == 0)
    }

    fn add_monomial(&mut self, monomial: Monomial, coefficient: IBig) {
        let entry = self.monomials.entry(monomial);
        let sum = match &entry {
            std::collections::btree_map::Entry::Occupied(there) => there.get() + coefficient,
            std::collections::btree_map::Entry::Vacant(_) => coefficient,
        };
        let sum = self.ring.normal(sum);
        match entry {
            std::collections::btree_map::Entry::Occupied(there) if sum.is_zero() => {
                there.remove();
            }
            std::collections::btree_map::Entry::Vacant(_) if sum.is_zero() => {}
            entry => {
                entry.insert_entry(sum);
            }
        }
    }

    fn add_product(&mut self, other: &Self, monomial: &Monomial, coefficient: &IBig) {
        for (theirs, factor) in &other.monomials {
            self.add_monomial(theirs.times(monomial), factor * coefficient);
        }
    }

    /// Adds `factor · other`.
    #[must_use]
    pub fn plus(mut self, factor: &IBig, other: &Self) -> Option<Self> {
        self.add_product(other, &Monomial::default(), factor);
        self.checked()
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self { ring: self.ring, monomials: BTreeMap::new() };
        for (monomial, coefficient) in &other.monomials {
            product.add_product(self, monomial, coefficient);
            if product.monomials.len() > MAX_MONOMIALS {
                return None;
            }
        }
        product.checked()
    }

    /// The value, in the ring, where the atoms have these values; None if one has none.
    pub fn value(&self, of: &mut dyn FnMut(Term) -> Option<IBig>) -> Option<IBig> {
        let mut total = IBig::ZERO;
        for (monomial, coefficient) in &self.monomials {
            let mut product = coefficient.clone();
            for &(atom, power) in &monomial.powers {
                let value = of(atom)?;
                for _ in 0..power {
                    product = self.ring.normal(product * &value);
                }
            }
            total += product;
        }
        Some(self.ring.normal(total))
    }

    /// None if it is too large.
    fn checked(self) -> Option<Self> {
        let degree = self.monomials.keys().next_back().map_or(0, |monomial| monomial.degree);
        (self.monomials.len() <= MAX_MONOMIALS && degree <= MAX_DEGREE).then_some(self)
    }

    fn contains(&self, atom: Term) -> bool {
        self.monomials.keys().any(|monomial| monomial.power(atom) > 0)
    }

    /// If this polynomial is zero: an atom, and its value in terms of the others.
    fn solved(&self) -> Option<(Term, Self)> {
        self.monomials.iter().find_map(|(monomial, coefficient)| {
            let &[(atom, 1)] = &monomial.powers[..] else { return None };
            let inverse = self.ring.inverse(coefficient)?;
            let is_alone = self.monomials.keys().filter(|other| other.power(atom) > 0).count() == 1;
            if !is_alone {
                return None;
            }
            let mut solution = Self { ring: self.ring, monomials: BTreeMap::new() };
            for (other, factor) in self.monomials.iter().filter(|&(other, _)| other != monomial) {
                solution.add_monomial(other.clone(), -(factor * &inverse));
            }
            Some((atom, solution))
        })
    }

    /// The polynomial with an atom replaced by another polynomial.
    fn with(&self, atom: Term, solution: &Self) -> Option<Self> {
        let mut result = Self { ring: self.ring, monomials: BTreeMap::new() };
        for (monomial, coefficient) in &self.monomials {
            let mut power = Self::constant(self.ring, IBig::ONE);
            for _ in 0..monomial.power(atom) {
                power = power.times(solution)?;
            }
            result.add_product(&power, &monomial.without(atom), coefficient);
            if result.monomials.len() > MAX_MONOMIALS {
                return None;
            }
        }
        result.checked()
    }

    /// Subtracts a multiple of the other that removes a monomial; false if there is none.
    fn divide_once(&mut self, by: &Self) -> bool {
        let Some((lead, factor)) = by.monomials.last_key_value() else { return false };
        let found = self.monomials.iter().rev().find_map(|(monomial, coefficient)| {
            Some((monomial.quotient(lead)?, self.ring.quotient(coefficient, factor)?))
        });
        let Some((monomial, coefficient)) = found else { return false };
        self.add_product(by, &monomial, &-coefficient);
        true
    }
}

/// A polynomial that is zero, and the given polynomials from which that follows.
#[derive(Clone, Debug)]
struct Zero {
    polynomial: Polynomial,
    /// Numbers of given polynomials, sorted.
    because: Vec<usize>,
}

impl Zero {
    fn follows_too(&mut self, because: &[usize]) {
        self.because.extend_from_slice(because);
        self.because.sort_unstable();
        self.because.dedup();
    }
}

/// The polynomials that are zero wherever the given ones are, as far as they are recognised.
#[derive(Debug)]
pub struct Ideal {
    /// Atoms in the order in which they were replaced, with their replacements.
    solved: Vec<(Term, Zero)>,
    /// Polynomials that could not be solved.
    rest: Vec<Zero>,
}

impl Ideal {
    /// The ideal of polynomials of one ring.
    pub fn new(given: Vec<Polynomial>) -> Self {
        let numbered = given.into_iter().enumerate();
        let mut open: Vec<Zero> =
            numbered.map(|(index, polynomial)| Zero { polynomial, because: vec![index] }).collect();
        let mut solved = Vec::new();
        while let Some((index, (atom, solution))) =
            open.iter().enumerate().find_map(|(index, zero)| Some((index, zero.polynomial.solved()?)))
        {
            let solution = Zero { polynomial: solution, because: open.swap_remove(index).because };
            open.retain_mut(|zero| replace(zero, atom, &solution).is_some() && !zero.polynomial.is_zero());
            solved.push((atom, solution));
        }
        Self { solved, rest: open }
    }

    /// Atoms that the given polynomials determine, and how: in an order in which no atom is determined by one
    /// that comes later.
    pub fn solutions(&self) -> impl Iterator<Item = (Term, &Polynomial)> {
        self.solved.iter().rev().map(|(atom, solution)| (*atom, &solution.polynomial))
    }

    /// The given polynomials that cannot all be zero.
    pub fn contradiction(&self) -> Option<&[usize]> {
        let impossible = |zero: &&Zero| zero.polynomial.is_nonzero_constant();
        self.rest.iter().find(impossible).map(|zero| &zero.because[..])
    }

    /// The given polynomials from which it follows that this one is zero; None if that is not found.
    pub fn contains(&self, polynomial: &Polynomial) -> Option<Vec<usize>> {
        let mut zero = Zero { polynomial: polynomial.clone(), because: Vec::new() };
        for (atom, solution) in &self.solved {
            replace(&mut zero, *atom, solution)?;
        }
        for _ in 0..MAX_STEPS {
            if zero.polynomial.is_zero() {
                return Some(zero.because);
            }
            let used = self.rest.iter().find(|rest| zero.polynomial.divide_once(&rest.polynomial))?;
            zero.follows_too(&used.because);
            zero.polynomial = zero.polynomial.checked()?;
        }
        None
    }
}

/// None if the result is too large.
fn replace(zero: &mut Zero, atom: Term, solution: &Zero) -> Option<()> {
    if zero.polynomial.contains(atom) {
        zero.polynomial = zero.polynomial.with(atom, &solution.polynomial)?;
        zero.follows_too(&solution.because);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;
    use crate::store::Terms;

    struct Algebra {
        terms: Terms,
        ring: Ring,
    }

    impl Algebra {
        fn new(ring: Ring) -> Self {
            Self { terms: Terms::new(), ring }
        }

        fn atom(&mut self, name: &str) -> Polynomial {
            let name = self.terms.declare(name, Sort::Int);
            Polynomial::atom(self.ring, self.terms.symbol(name, 0))
        }

        fn number(&self, value: i64) -> Polynomial {
            Polynomial::constant(self.ring, IBig::from(value))
        }
    }

    fn sum(parts: &[(i64, &[&Polynomial])]) -> Polynomial {
        let ring = parts[0].1[0].ring;
        let mut result = Polynomial::constant(ring, IBig::ZERO);
        for (factor, factors) in parts {
            let mut product = Polynomial::constant(ring, IBig::ONE);
            for factor in *factors {
                product = product.times(factor).unwrap();
            }
            result = result.plus(&IBig::from(*factor), &product).unwrap();
        }
        result
    }

    #[test]
    fn what_multiplies_out_alike_is_the_same() {
        for ring in [Ring::Integers, Ring::Bits(8), Ring::Bits(64)] {
            let mut algebra = Algebra::new(ring);
            let (a, b) = (algebra.atom("a"), algebra.atom("b"));
            let plus = a.clone().plus(&IBig::ONE, &b).unwrap();
            let minus = a.clone().plus(&-IBig::ONE, &b).unwrap();
            assert_eq!(plus.times(&minus).unwrap(), sum(&[(1, &[&a, &a]), (-1, &[&b, &b])]));
        }
    }

    #[test]
    fn coefficients_wrap_around() {
        let mut algebra = Algebra::new(Ring::Bits(8));
        let a = algebra.atom("a");
        assert!(sum(&[(200, &[&a]), (56, &[&a])]).is_zero());
    }

    #[test]
    fn extended_euclid_keeps_its_equations() {
        // a = y·r + x·p, b = x·q + y·s, a = k·b + c: then c is the combination with p - q·k and r - s·k.
        for ring in [Ring::Integers, Ring::Bits(64)] {
            let mut algebra = Algebra::new(ring);
            let [a, b, c, k, p, q, r, s, x, y] =
                ["a", "b", "c", "k", "p", "q", "r", "s", "x", "y"].map(|name| algebra.atom(name));
            let given = vec![
                sum(&[(1, &[&a]), (-1, &[&y, &r]), (-1, &[&x, &p])]),
                sum(&[(1, &[&b]), (-1, &[&x, &q]), (-1, &[&y, &s])]),
                sum(&[(1, &[&a]), (-1, &[&k, &b]), (-1, &[&c])]),
            ];
            let after =
                sum(&[(1, &[&c]), (-1, &[&x, &p]), (1, &[&x, &q, &k]), (-1, &[&y, &r]), (1, &[&y, &s, &k])]);
            assert_eq!(Ideal::new(given.clone()).contains(&after), Some(vec![0, 1, 2]));
            assert_eq!(Ideal::new(given[..2].to_vec()).contains(&after), None);
        }
    }

    #[test]
    fn what_cannot_be_solved_divides() {
        // 4·r = u² - 2·u goes over into 4·(r + u) = (u + 2)² - 2·(u + 2).
        for ring in [Ring::Integers, Ring::Bits(64)] {
            let mut algebra = Algebra::new(ring);
            let (r, u, two) = (algebra.atom("r"), algebra.atom("u"), algebra.number(2));
            let given = sum(&[(4, &[&r]), (-1, &[&u, &u]), (2, &[&u])]);
            let next = u.clone().plus(&IBig::ONE, &two).unwrap();
            let after = sum(&[(4, &[&r]), (4, &[&u]), (-1, &[&next, &next]), (2, &[&next])]);
            assert_eq!(Ideal::new(vec![given]).contains(&after), Some(vec![0]));
        }
    }

    #[test]
    fn contradictions_have_their_reasons() {
        let mut algebra = Algebra::new(Ring::Bits(32));
        let (a, b, one) = (algebra.atom("a"), algebra.atom("b"), algebra.number(1));
        let given = vec![
            sum(&[(1, &[&b, &b])]),
            sum(&[(1, &[&a]), (-1, &[&b])]),
            sum(&[(1, &[&a]), (-1, &[&b]), (-1, &[&one])]),
        ];
        let mut reasons = Ideal::new(given).contradiction().unwrap().to_vec();
        reasons.sort_unstable();
        assert_eq!(reasons, [1, 2]);
    }

    /// Modulo 2ʷ a member of the ideal is zero at every common zero: checked for all values of small widths.
    #[test]
    fn members_are_zero_where_the_given_are() {
        let width = 3;
        let ring = Ring::Bits(width);
        let mut algebra = Algebra::new(ring);
        let atoms = ["a", "b", "c"].map(|name| algebra.atom(name));
        let [a, b, c] = &atoms;
        let one = algebra.number(1);
        let candidates = [
            sum(&[(1, &[a, b]), (-1, &[c])]),
            sum(&[(3, &[a]), (2, &[b, b])]),
            sum(&[(2, &[a, a]), (4, &[b]), (-1, &[&one])]),
            sum(&[(4, &[a, c]), (6, &[b])]),
            sum(&[(5, &[c, c]), (1, &[a]), (1, &[&one])]),
            sum(&[(2, &[c]), (2, &[a, b, b])]),
            sum(&[(1, &[a]), (-1, &[b])]),
            sum(&[(1, &[a]), (-1, &[b]), (-1, &[&one])]),
        ];
        let names: Vec<Term> =
            atoms.iter().map(|atom| atom.monomials.keys().next().unwrap().powers[0].0).collect();
        let value = |polynomial: &Polynomial, values: &[u32; 3]| -> IBig {
            let of = |atom: Term| names.iter().position(|&name| name == atom).map(|at| values[at].into());
            polynomial.value(&mut { of }).unwrap()
        };
        let (mut members, mut contradictions) = (0, 0);
        for (first, second) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
            let given = vec![candidates[first].clone(), candidates[second].clone()];
            let ideal = Ideal::new(given.clone());
            for goal in &candidates {
                for factor in [a, &one, c] {
                    let goal = goal.times(factor).unwrap();
                    let claims = ideal.contains(&goal);
                    let impossible = ideal.contradiction();
                    members += u32::from(claims.is_some());
                    contradictions += u32::from(impossible.is_some());
                    for code in 0..512u32 {
                        let values = [code & 7, code >> 3 & 7, code >> 6];
                        let holds =
                            |indices: &[usize]| indices.iter().all(|&i| value(&given[i], &values).is_zero());
                        if claims.as_deref().is_some_and(holds) {
                            assert!(value(&goal, &values).is_zero(), "{given:?} {goal:?} {values:?}");
                        }
                        assert!(!impossible.is_some_and(holds), "{given:?} {values:?}");
                    }
                }
            }
        }
        assert!(members > 50 && contradictions > 0, "{members} members, {contradictions} contradictions");
    }
}
