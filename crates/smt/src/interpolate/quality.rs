//! Which interpolants are better: few atoms, small constants, no case distinctions. Less is better.

use super::problem::Tree;
use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest};
use summa_term::{Kind, Op, Sort, Term, Terms};

/// The cost of all interpolants of a tree.
pub(crate) fn cost(terms: &Terms, tree: &Tree, interpolants: &[Term]) -> u64 {
    tree.inner()
        .filter_map(|i| interpolants.get(i))
        .map(|&interpolant| formula_cost(terms, interpolant))
        .sum()
}

/// Good enough that no other source needs to be asked: on average one or two short atoms where something is said at all.
pub(crate) fn is_good(terms: &Terms, tree: &Tree, interpolants: &[Term]) -> bool {
    cost(terms, tree, interpolants) <= 12 * saying(terms, tree, interpolants)
}

/// As good as it gets: on average one relation without constants.
pub(crate) fn is_excellent(terms: &Terms, tree: &Tree, interpolants: &[Term]) -> bool {
    cost(terms, tree, interpolants) <= 6 * saying(terms, tree, interpolants)
}

/// The number of interpolants that are neither `true` nor `false`.
fn saying(terms: &Terms, tree: &Tree, interpolants: &[Term]) -> u64 {
    tree.inner().filter(|&i| terms.as_bool(interpolants[i]).is_none()).count() as u64
}

/// Every different node counts; constants by their length, disjunctions more than conjunctions.
pub(crate) fn formula_cost(terms: &Terms, formula: Term) -> u64 {
    terms
        .post_order(&[formula])
        .into_iter()
        .map(|term| match terms.kind(term) {
            Kind::True | Kind::False => 0,
            Kind::Symbol(..) => 1,
            Kind::Int(value) => constant_cost(value),
            Kind::Bv(bits) => match terms.sort(term) {
                Sort::Bv(width) => constant_cost(&IBig::from(summa_term::bits::to_signed(width, *bits))),
                _ => 1,
            },
            Kind::Float(_) => 4,
            Kind::App(Op::And | Op::Not | Op::Eq, _) => 1,
            Kind::App(Op::Or, args) => 4 * args.len() as u64,
            Kind::App(Op::Ite, _) => 8,
            Kind::App(Op::BvExtract { .. } | Op::BvConcat, _) => 3,
            Kind::App(..) => 2,
            Kind::Quantified(..) => 50,
        })
        .sum()
}

/// A constant costs more than a symbol, and one that may be the number of a round or an input costs most: relations between
/// symbols generalise better.
fn constant_cost(value: &IBig) -> u64 {
    match value.abs().bit_len() {
        0 | 1 => 2,
        bits => 4 + bits as u64,
    }
}
