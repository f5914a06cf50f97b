//! The symbols that terms depend on, and of the facts about fresh symbols those that matter for them.

use crate::cells::{CellId, Cells};
use summa_base::FxHashSet;
use summa_term::{SymbolSets, Term, Terms};

/// The subterms and symbols of the terms added so far. Path formulas have no quantifiers.
#[derive(Debug, Default)]
pub(super) struct Cone {
    seen: FxHashSet<Term>,
    symbols: FxHashSet<Term>,
}

impl Cone {
    pub(super) fn of(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Self {
        let mut cone = Self::default();
        roots.into_iter().for_each(|root| cone.add(terms, root));
        cone
    }

    pub(super) fn add(&mut self, terms: &Terms, root: Term) {
        let mut todo = vec![root];
        while let Some(term) = todo.pop() {
            if terms.node(term).is_ground || !self.seen.insert(term) {
                continue;
            }
            match terms.as_symbol(term) {
                Some(_) => drop(self.symbols.insert(term)),
                None => todo.extend_from_slice(terms.children(term)),
            }
        }
    }

    /// The cells whose entry symbol occurs, ascending.
    pub(super) fn cells(&self, terms: &Terms, cells: &Cells) -> Vec<CellId> {
        let mut symbols: Vec<Term> = self.symbols.iter().copied().collect();
        symbols.sort_unstable();
        let of_symbol = |symbol: Term| match terms.as_symbol(symbol)? {
            (family, 0) => cells.of_symbol(family),
            _ => None,
        };
        let mut found: Vec<CellId> = symbols.into_iter().filter_map(of_symbol).collect();
        found.sort_unstable();
        found
    }

    /// The facts that matter, of facts in the order in which their symbols were made. A fact about fresh
    /// symbols that occur nowhere else does not matter, since there are always values for which it holds.
    pub(super) fn relevant(
        &mut self,
        terms: &Terms,
        cells: &Cells,
        sets: &mut SymbolSets,
        facts: &[Term],
    ) -> Vec<Term> {
        let is_fresh = |symbol: &Term| {
            terms.as_symbol(*symbol).is_some_and(|(family, _)| cells.of_symbol(family).is_none())
        };
        let mut kept = Vec::new();
        // Facts speak of symbols that exist, so only later facts can make an earlier one matter.
        for &fact in facts.iter().rev() {
            let mut fresh = sets.of(terms, fact).iter().filter(|symbol| is_fresh(symbol)).peekable();
            if fresh.peek().is_none() || fresh.any(|symbol| self.symbols.contains(symbol)) {
                kept.push(fact);
                self.add(terms, fact);
            }
        }
        kept.reverse();
        kept
    }
}
