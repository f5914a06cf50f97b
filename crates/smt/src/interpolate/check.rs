//! Every interpolant is checked, by queries of its own: is each step inductive, and is the vocabulary the shared one?

use super::problem::{Tree, Vocabulary};
use crate::workbench::Workbench;
use summa_term::{Term, Terms};

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Not one formula for each node, or the root's is not `false`.
    Shape,
    /// The node whose interpolant has a symbol or function that is not shared.
    Vocabulary(usize),
    /// The node at which children and formula do not imply the interpolant (or not in time).
    NotInductive(usize),
}

pub(crate) fn check(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
    interpolants: &[Term],
) -> Result<(), Flaw> {
    if interpolants.len() != tree.nodes().len() || interpolants.last() != Some(&Terms::FALSE) {
        return Err(Flaw::Shape);
    }
    for (i, (&interpolant, vocabulary)) in interpolants.iter().zip(vocabularies).enumerate() {
        if !vocabulary.includes(&Vocabulary::of(terms, interpolant)) {
            return Err(Flaw::Vocabulary(i));
        }
    }
    for (i, node) in tree.nodes().iter().enumerate() {
        let mut premises: Vec<Term> = node.children.iter().map(|&child| interpolants[child]).collect();
        premises.push(node.formula);
        if !bench.entails(terms, &premises, interpolants[i]) {
            return Err(Flaw::NotInductive(i));
        }
    }
    Ok(())
}
