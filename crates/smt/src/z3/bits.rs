//! Questions about bits alone: formulas in which every part is a truth value or a bit-vector, and no function
//! is applied.
//!
//! Unrolled circuits and controllers are of this kind. For them the solver that looks at the whole question
//! first is better than the incremental one, as soon as the question is not simple: it removes what is
//! determined, shares gates, and hands the rest to propositional search. Measured on six unrolled circuits:
//! 1.3 to 3 times faster than ten times as much work of the incremental solver before.

use rustc_hash::FxHashSet;
use summa_term::{Kind, Op, Sort, Term, Terms};

/// The terms of one store that are known to be about bits alone, with everything below them.
#[derive(Default)]
pub(super) struct BitTerms {
    known: FxHashSet<Term>,
}

impl BitTerms {
    pub(super) fn is_about_bits(&mut self, terms: &Terms, formula: Term) -> bool {
        let (mut todo, mut seen) = (vec![formula], FxHashSet::default());
        while let Some(term) = todo.pop() {
            if self.known.contains(&term) || !seen.insert(term) {
                continue;
            }
            let is_bits = matches!(terms.sort(term), Sort::Bool | Sort::Bv(_));
            if !is_bits || matches!(terms.kind(term), Kind::Quantified(..) | Kind::App(Op::Apply(_), _)) {
                return false;
            }
            todo.extend_from_slice(terms.children(term));
        }
        self.known.extend(seen);
        true
    }
}
