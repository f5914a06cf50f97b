//! The state of a program as terms: the value of each cell. Copies are cheap until they are written.

use crate::cells::{CellId, Cells};
use std::rc::Rc;
use summa_base::Id;
use summa_term::{Term, Terms};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    values: Rc<Vec<Term>>,
}

impl State {
    /// Every cell is a symbol with this version.
    pub fn symbolic(cells: &Cells, terms: &mut Terms, version: u32) -> Self {
        Self {
            values: Rc::new(cells.cells.values().map(|cell| terms.symbol(cell.symbol, version)).collect()),
        }
    }

    pub fn get(&self, cell: CellId) -> Term {
        self.values[cell.index()]
    }

    pub fn set(&mut self, cell: CellId, value: Term) {
        if self.values[cell.index()] != value {
            Rc::make_mut(&mut self.values)[cell.index()] = value;
        }
    }

    /// The state that is `self` where `condition` holds and `other` elsewhere.
    pub fn merge(&self, terms: &mut Terms, condition: Term, other: &Self) -> Self {
        if Rc::ptr_eq(&self.values, &other.values) {
            return self.clone();
        }
        let pairs = self.values.iter().zip(other.values.iter());
        let merged = pairs.map(|(&a, &b)| if a == b { a } else { terms.ite(condition, a, b) }).collect();
        Self { values: Rc::new(merged) }
    }

    /// The cells in which two states differ.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = CellId> + 'a {
        let pairs = self.values.iter().zip(other.values.iter()).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(|(i, _)| CellId::from_index(i))
    }
}
