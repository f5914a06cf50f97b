//! One vocabulary for integers and for signed bit-vectors of 32 bits.

use summa_term::{Sort, Term, Terms};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Integers,
    BitVectors,
}

use Arithmetic::{BitVectors, Integers};

impl Arithmetic {
    pub(crate) fn sort(self) -> Sort {
        match self {
            Integers => Sort::Int,
            BitVectors => Sort::Bv(32),
        }
    }

    pub(crate) fn var(self, terms: &mut Terms, name: &str, version: usize) -> Term {
        let family = terms.declare(name, self.sort());
        terms.symbol(family, version as u32)
    }

    pub(crate) fn vars<const N: usize>(
        self,
        terms: &mut Terms,
        names: [&str; N],
        version: usize,
    ) -> [Term; N] {
        names.map(|name| self.var(terms, name, version))
    }

    pub(crate) fn num(self, terms: &mut Terms, value: i64) -> Term {
        match self {
            Integers => terms.int(value),
            BitVectors => terms.bv_signed(32, value.into()),
        }
    }

    pub(crate) fn add(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Integers => terms.add2(a, b),
            BitVectors => terms.bv_add(a, b),
        }
    }

    /// `a + n`.
    pub(crate) fn plus(self, terms: &mut Terms, a: Term, n: i64) -> Term {
        let n = self.num(terms, n);
        self.add(terms, a, n)
    }

    pub(crate) fn times(self, terms: &mut Terms, n: i64, a: Term) -> Term {
        let n = self.num(terms, n);
        match self {
            Integers => terms.mul(n, a),
            BitVectors => terms.bv_mul(n, a),
        }
    }

    pub(crate) fn le(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Integers => terms.le(a, b),
            BitVectors => terms.bv_sle(a, b),
        }
    }

    pub(crate) fn lt(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Integers => terms.lt(a, b),
            BitVectors => terms.bv_slt(a, b),
        }
    }

    pub(crate) fn eq_num(self, terms: &mut Terms, a: Term, n: i64) -> Term {
        let n = self.num(terms, n);
        terms.eq(a, n)
    }

    pub(crate) fn le_num(self, terms: &mut Terms, a: Term, n: i64) -> Term {
        let n = self.num(terms, n);
        self.le(terms, a, n)
    }

    pub(crate) fn ge_num(self, terms: &mut Terms, a: Term, n: i64) -> Term {
        let n = self.num(terms, n);
        self.le(terms, n, a)
    }

    /// `b = a + n`: an assignment.
    pub(crate) fn step(self, terms: &mut Terms, b: Term, a: Term, n: i64) -> Term {
        let sum = self.plus(terms, a, n);
        terms.eq(b, sum)
    }

    pub(crate) fn is_odd(self, terms: &mut Terms, a: Term) -> Term {
        match self {
            Integers => {
                let two = terms.int(2);
                let rest = terms.modulo(a, two);
                self.eq_num(terms, rest, 1)
            }
            BitVectors => {
                let (bit, one) = (terms.bv_extract(0, 0, a), terms.bv(1, 1));
                terms.eq(bit, one)
            }
        }
    }
}
