//! The state of a program as terms: the value of each cell. Copies are cheap, and states that differ little
//! share the rest.

use crate::cells::{CellId, Cells};
use crate::chunks::Chunks;
use summa_base::Id;
use summa_term::{Term, Terms};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    values: Chunks<Term>,
}

impl State {
    /// Every cell is a symbol with this version.
    pub fn symbolic(cells: &Cells, terms: &mut Terms, version: u32) -> Self {
        let symbols: Vec<Term> =
            cells.cells.values().map(|cell| terms.symbol(cell.symbol, version)).collect();
        Self { values: Chunks::new(&symbols) }
    }

    pub fn get(&self, cell: CellId) -> Term {
        self.values.get(cell.index())
    }

    pub fn set(&mut self, cell: CellId, value: Term) {
        self.values.set(cell.index(), value);
    }

    /// The state that is `self` where `condition` holds and `other` elsewhere.
    pub fn merge(&self, terms: &mut Terms, condition: Term, other: &Self) -> Self {
        let mut merged = self.clone();
        for (index, a, b) in self.values.difference(&other.values) {
            merged.values.set(index, terms.ite(condition, a, b));
        }
        merged
    }

    /// The cells in which two states differ.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = CellId> + 'a {
        self.values.difference(&other.values).map(|(index, ..)| CellId::from_index(index))
    }
}
