//! Path formulas as text: for tests and for readers.

use super::{PathId, Paths};
use crate::cells::CellId;
use std::fmt::Write;
use summa_term::smtlib;

impl Paths<'_> {
    /// The name of what a cell holds: a variable or member, where it is one.
    pub fn name_of(&self, cell: CellId) -> &str {
        self.encoder.terms.symbol_name(self.encoder.cells.cells[cell].symbol)
    }

    /// Guard, changed cells and facts, one in a line, as SMT-LIB terms.
    pub fn show(&mut self, path: PathId) -> String {
        let facts = self.facts(path);
        let terms = &self.encoder.terms;
        let mut text = format!("guard {}\n", smtlib::print(terms, self.guard(path)));
        for cell in self.changed(path) {
            let value = smtlib::print(terms, self.state(path).get(cell));
            let _ = writeln!(text, "{} := {value}", self.name_of(cell));
        }
        for fact in facts {
            let _ = writeln!(text, "fact {}", smtlib::print(terms, fact));
        }
        text
    }
}
