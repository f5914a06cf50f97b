//! The interpolation suite: contradictory traces of loops and recursive functions, over integers and over
//! bit-vectors. Shared by the test and the benchmark.

pub(crate) mod arithmetic;
mod loops;
mod recursion;

use arithmetic::Arithmetic;
use summa_smt::Tree;
use summa_term::{Term, Terms};

/// A contradictory tree of formulas.
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) tree: Tree,
    /// What the interpolant of a node should imply, where there is one good answer.
    pub(crate) expected: Vec<(usize, Term)>,
}

impl Problem {
    fn sequence(name: impl Into<String>, formulas: &[Term]) -> Self {
        Self { name: name.into(), tree: Tree::sequence(formulas).unwrap(), expected: Vec::new() }
    }
}

pub(crate) fn integers(terms: &mut Terms) -> Vec<Problem> {
    let mut all = loops::all(terms, Arithmetic::Integers);
    all.extend(recursion::all(terms, Arithmetic::Integers));
    all
}

pub(crate) fn bit_vectors(terms: &mut Terms) -> Vec<Problem> {
    let mut all = loops::all(terms, Arithmetic::BitVectors);
    all.extend(loops::only_bit_vectors(terms));
    all.extend(recursion::all(terms, Arithmetic::BitVectors));
    all
}
