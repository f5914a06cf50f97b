//! Which interpolants are better: few atoms, small constants, no case distinctions. Less is better.

use super::problem::Tree;
use dashu_int::IBig;
use dashu_int::ops::{Abs, BitTest};
use rustc_hash::FxHashSet;
use summa_term::{Kind, Op, Sort, SymbolId, Term, Terms};

/// The cost of all interpolants of a tree. What is said at many nodes is paid once: interpolants that repeat
/// along a loop or a recursion are invariants of it.
pub(crate) fn cost(terms: &mut Terms, tree: &Tree, interpolants: &[Term]) -> u64 {
    let mut patterns = FxHashSet::default();
    let mut total = 0;
    for i in tree.inner() {
        for part in terms.conjuncts(interpolants[i]) {
            let pattern = pattern(terms, part);
            total += 1;
            if patterns.insert(pattern) {
                total += formula_cost(terms, pattern);
            }
        }
    }
    total
}

/// Good enough that no other source needs to be asked: at most one or two short atoms where something is said
/// at all.
pub(crate) fn is_good(terms: &mut Terms, tree: &Tree, interpolants: &[Term]) -> bool {
    cost(terms, tree, interpolants) <= 8 * saying(terms, tree, interpolants) + 8
}

/// As good as it gets: one relation without constants, or a few that repeat.
pub(crate) fn is_excellent(terms: &mut Terms, tree: &Tree, interpolants: &[Term]) -> bool {
    cost(terms, tree, interpolants) <= 4 * saying(terms, tree, interpolants) + 4
}

/// The number of interpolants that are neither `true` nor `false`.
fn saying(terms: &Terms, tree: &Tree, interpolants: &[Term]) -> u64 {
    tree.inner().filter(|&i| terms.as_bool(interpolants[i]).is_none()).count() as u64
}

/// The formula with the versions of each symbol numbered from zero: the same for all rounds of a loop.
pub(crate) fn pattern(terms: &mut Terms, formula: Term) -> Term {
    let mut symbols: Vec<(SymbolId, u32)> =
        terms.free_symbols(formula).into_iter().filter_map(|symbol| terms.as_symbol(symbol)).collect();
    symbols.sort_unstable();
    terms.rename_symbols(formula, |family, version| {
        let first = symbols.partition_point(|&(other, _)| other < family);
        let place = symbols.partition_point(|&symbol| symbol < (family, version));
        (family, u32::try_from(place - first).unwrap_or(u32::MAX))
    })
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

/// A constant costs more than a symbol, and one that may be the number of a round or an input costs most:
/// relations between symbols generalise better.
fn constant_cost(value: &IBig) -> u64 {
    match value.abs().bit_len() {
        0 | 1 => 2,
        bits => 4 + bits as u64,
    }
}
