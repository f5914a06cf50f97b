//! Slicing by an unsatisfiable core: conjuncts that the contradiction does not need are dropped, which makes
//! interpolants more general and everything after it cheaper. Interpolants of the weaker formulas are
//! interpolants of the given ones.

use super::problem::Tree;
use crate::workbench::Workbench;
use std::time::Duration;
use summa_term::{Term, Terms};

/// Making the core smaller stops after this long.
const MINIMISE_BUDGET: Duration = Duration::from_millis(250);
/// Larger cores are not minimised one by one.
const MINIMISE_LIMIT: usize = 150;
/// How often a core is made smaller by asking for a core of it.
const CORE_ROUNDS: usize = 3;

/// What slicing found.
pub(crate) enum Slice {
    Sliced(Tree),
    Satisfiable,
    /// Not known in time.
    Unknown,
}

pub(crate) fn slice(bench: &mut Workbench, terms: &mut Terms, tree: &Tree) -> Slice {
    let mut all: Vec<Term> = tree.nodes().iter().flat_map(|node| terms.conjuncts(node.formula)).collect();
    all.sort_unstable();
    all.dedup();
    if all.contains(&Terms::FALSE) {
        return Slice::Sliced(keep(terms, tree, &[Terms::FALSE]));
    }
    let Some(mut core) = bench.core(terms, &[], &all) else {
        return match bench.is_unsat(terms, &all) {
            Some(false) => Slice::Satisfiable,
            _ => Slice::Unknown,
        };
    };
    let before = bench.within(MINIMISE_BUDGET);
    for _ in 0..CORE_ROUNDS {
        match bench.core(terms, &[], &core) {
            Some(smaller) if smaller.len() < core.len() => core = smaller,
            _ => break,
        }
    }
    if core.len() <= MINIMISE_LIMIT {
        core = minimise(bench, terms, core);
    }
    bench.restore(before);
    Slice::Sliced(keep(terms, tree, &core))
}

/// Leaves out members as long as the rest is unsatisfiable. Large members first: they carry the details.
fn minimise(bench: &mut Workbench, terms: &mut Terms, mut core: Vec<Term>) -> Vec<Term> {
    let mut order = core.clone();
    order.sort_by_key(|&term| (std::cmp::Reverse(terms.node(term).size), term));
    for candidate in order {
        if bench.is_over() {
            break;
        }
        if !core.contains(&candidate) {
            continue; // a core without it was found on the way
        }
        let rest: Vec<Term> = core.iter().copied().filter(|&member| member != candidate).collect();
        if let Some(smaller) = bench.core(terms, &[], &rest) {
            core = smaller;
        }
    }
    core
}

/// The tree with only those conjuncts that are in the core.
fn keep(terms: &mut Terms, tree: &Tree, core: &[Term]) -> Tree {
    tree.with_formulas(|_, formula| {
        let mut kept = terms.conjuncts(formula);
        kept.retain(|conjunct| core.contains(conjunct));
        terms.and(&kept)
    })
}
