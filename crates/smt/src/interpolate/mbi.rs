//! Model-based interpolation: an interpolant of `A` and `B` as a disjunction of cubes, each the projection of
//! a model of `A` to the shared symbols, reduced to what contradicts `B`; or, from the other side, as a
//! conjunction of clauses.
//!
//! For a tree the nodes are taken in post-order, with `A = ⋀ I_c ∧ φᵢ` and `B` = everything outside of the
//! subtree, where finished subtrees are represented by their interpolants.
//!
//! Paper: Bjørner, de Moura, Nachmanson, Wintersteiger, *Programming Z3*, 2018 (model-based interpolation).
//! Limits: needs few cubes; values without a pattern make many.

use super::problem::{Tree, Vocabulary};
use crate::workbench::Workbench;
use summa_term::{Term, Terms};

/// Cubes or clauses of one interpolant.
const CUBE_LIMIT: usize = 16;

/// `None` when a limit is hit.
pub(crate) fn interpolate(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
) -> Option<Vec<Term>> {
    let mut interpolants = vec![Terms::FALSE; tree.nodes().len()];
    for i in tree.inner() {
        let node = &tree.nodes()[i];
        let mut inside: Vec<Term> = node.children.iter().map(|&child| interpolants[child]).collect();
        inside.push(node.formula);
        let outside = outside(tree, i, &interpolants);
        // From outside in clauses, which are what follows from `A` in general; else from inside in cubes.
        interpolants[i] = clauses(bench, terms, &inside, &outside, &vocabularies[i])
            .or_else(|| cubes(bench, terms, &inside, &outside, &vocabularies[i]))?;
    }
    Some(interpolants)
}

/// The formulas outside of the subtree of `node`; finished subtrees by their interpolants.
fn outside(tree: &Tree, node: usize, interpolants: &[Term]) -> Vec<Term> {
    let mut formulas: Vec<Term> = tree.nodes()[node + 1..].iter().map(|later| later.formula).collect();
    // Roots of finished subtrees, from the subtree of `node` to the left.
    let mut end = tree.subtree(node).start;
    while let Some(root) = end.checked_sub(1) {
        formulas.push(interpolants[root]);
        end = tree.subtree(root).start;
    }
    formulas
}

/// `⋁ cubes` with `inside ⇒ ⋁ cubes`, each cube contradicting `outside`.
fn cubes(
    bench: &mut Workbench,
    terms: &mut Terms,
    inside: &[Term],
    outside: &[Term],
    vocabulary: &Vocabulary,
) -> Option<Term> {
    let body = terms.and(inside);
    let body = terms.nnf(body);
    let locals = Vocabulary::of(terms, body).symbols_beyond(vocabulary);
    let mut cubes = Vec::new();
    let mut open = vec![body];
    while cubes.len() < CUBE_LIMIT && !bench.is_over() {
        let Some(cube) = bench.project(terms, &open, &locals, body).ok()? else {
            return Some(terms.or(&cubes));
        };
        let literals = terms.conjuncts(cube);
        let core = bench.core(terms, outside, &literals)?;
        let cube = terms.and(&core);
        if !vocabulary.includes(&Vocabulary::of(terms, cube)) {
            return None;
        }
        open.push(terms.not(cube));
        cubes.push(cube);
    }
    None
}

/// The same from the other side: `⋀ clauses`, the negation of cubes of `outside`.
fn clauses(
    bench: &mut Workbench,
    terms: &mut Terms,
    inside: &[Term],
    outside: &[Term],
    vocabulary: &Vocabulary,
) -> Option<Term> {
    let negated = cubes(bench, terms, outside, inside, vocabulary)?;
    Some(terms.not(negated))
}
