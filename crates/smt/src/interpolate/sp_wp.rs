//! Interpolants by strongest postconditions and weakest preconditions, over trees.
//!
//! *Post*: from the leaves up, `Iᵢ = ∃ locals. ⋀ I_c ∧ φᵢ`. *Pre*: from the root down, a child must exclude
//! `∃ others. φ_parent ∧ ¬I_parent ∧ siblings`, and its interpolant is the negation of that. Here siblings to
//! the left are represented by their interpolants, and those to the right by their postconditions.
//!
//! Both work on a tree that was sliced by an unsatisfiable core. Where a symbol cannot be eliminated exactly,
//! the quantified formula is weakened: then a post is more general, a pre stricter than it should be, and the
//! check decides.
//!
//! Paper: Dietsch, Heizmann, Musa, Nutz, Podelski, *Craig vs. Newton in software model checking*, 2017.

use super::problem::{Tree, Vocabulary};
use crate::quantifier::eliminate;
use crate::workbench::Workbench;
use summa_term::{Term, Terms};

/// Strongest postconditions. `None` when the time is over.
pub(crate) fn post(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
) -> Option<Vec<Term>> {
    let mut posts: Vec<Term> = Vec::with_capacity(tree.nodes().len());
    for i in tree.inner() {
        let node = &tree.nodes()[i];
        let mut parts: Vec<Term> = node.children.iter().map(|&child| posts[child]).collect();
        parts.push(node.formula);
        let post = project(bench, terms, &parts, &vocabularies[i])?;
        posts.push(post);
    }
    posts.push(Terms::FALSE);
    Some(posts)
}

/// Weakest preconditions; `posts` are those of [`post`]. `None` when the time is over.
pub(crate) fn pre(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
    posts: &[Term],
) -> Option<Vec<Term>> {
    let mut interpolants = posts.to_vec();
    for (i, node) in tree.nodes().iter().enumerate().rev() {
        // Children left of the current one have their interpolant in `interpolants`, those right of it their
        // post.
        for &child in &node.children {
            let mut parts = vec![node.formula, terms.not(interpolants[i])];
            parts.extend(
                node.children.iter().filter(|&&other| other != child).map(|&other| interpolants[other]),
            );
            let excluded = project(bench, terms, &parts, &vocabularies[child])?;
            interpolants[child] = terms.not(excluded);
        }
    }
    Some(interpolants)
}

/// What the conjunction of `parts` says in this vocabulary.
fn project(
    bench: &mut Workbench,
    terms: &mut Terms,
    parts: &[Term],
    vocabulary: &Vocabulary,
) -> Option<Term> {
    if bench.is_over() {
        return None;
    }
    let parts: Vec<Term> = parts.iter().map(|&part| terms.nnf(part)).collect();
    let body = terms.and(&parts);
    let locals = Vocabulary::of(terms, body).symbols_beyond(vocabulary);
    let projected = eliminate(bench, terms, &locals, body).formula;
    // Functions that are not shared cannot be eliminated: what mentions them goes.
    let mut kept = terms.conjuncts(projected);
    kept.retain(|&part| vocabulary.includes(&Vocabulary::of(terms, part)));
    Some(terms.and(&kept))
}
