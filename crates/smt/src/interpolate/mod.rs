//! Craig interpolants for sequences and trees of formulas, over integers and bit-vectors, without an
//! interpolating solver.
//!
//! Four sources: Z3's Horn engine ([`spacer`]), strongest postconditions and weakest preconditions of an
//! unsatisfiable core ([`sp_wp`]), model-based interpolation ([`mbi`]), and a filter over candidate atoms of
//! all of them ([`houdini`]). The [`Chooser`] runs them within budgets and takes the best answer. Every
//! answer of a source is checked ([`check`]) before it is returned: an answer that fails the check is a
//! failure of its source.

mod as_integers;
mod check;
mod chooser;
mod functions;
mod houdini;
mod mbi;
pub(crate) mod problem;
mod quality;
mod simplify;
mod slice;
mod sp_wp;
mod spacer;

pub use chooser::{Chooser, ChooserOptions, Source, SourceStatistics};
pub use problem::{Tree, TreeNode};

use summa_term::{Term, Terms};

/// Why there is no interpolant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The formulas are satisfiable together.
    Satisfiable,
    /// No source had an answer that passed the check.
    Unknown(String),
}

/// Interpolants for sequences and trees.
pub trait Interpolator {
    /// One interpolant for each node of the tree, in its order; that of the root is `false`.
    ///
    /// # Errors
    /// The formulas are satisfiable, or no source found interpolants in time.
    fn tree(&mut self, terms: &mut Terms, tree: &Tree) -> Result<Vec<Term>, Failure>;

    /// `I₀ = true, I₁, …, Iₙ = false` for `φ₁ … φₙ`, with `Iᵢ₋₁ ∧ φᵢ ⇒ Iᵢ`.
    ///
    /// # Errors
    /// As for [`Interpolator::tree`].
    fn sequence(&mut self, terms: &mut Terms, formulas: &[Term]) -> Result<Vec<Term>, Failure> {
        let Some(tree) = Tree::sequence(formulas) else { return Err(Failure::Satisfiable) };
        let mut interpolants = vec![Terms::TRUE];
        interpolants.extend(self.tree(terms, &tree)?);
        Ok(interpolants)
    }
}
