//! Abstraction formulas as clauses of contracts: cells are lvalues, their entry copies `\old(…)`. What has no
//! exact C expression is a formula.

use super::{Predicate, PredicateState};
use crate::contract::Speaker;
use summa_bam::{Clause, Side};
use summa_encode::CellId;
use summa_facts::blocks::Block;
use summa_term::to_c::{CSymbol, to_c_typed};
use summa_term::{SymbolId, Term, Terms};

impl Predicate<'_> {
    /// One clause for each conjunct.
    pub(super) fn clauses(&mut self, block: &Block, state: &PredicateState, side: Side) -> Vec<Clause> {
        let Some(speaker) = Speaker::new(self.cfa, self.facts, block, side) else { return Vec::new() };
        let formula = self.abstractions[state.abstraction].formula;
        let conjuncts = self.logic.terms().conjuncts(formula);
        conjuncts.into_iter().filter_map(|conjunct| self.conjunct(&speaker, conjunct)).collect()
    }

    fn conjunct(&self, speaker: &Speaker<'_>, conjunct: Term) -> Option<Clause> {
        match conjunct {
            Terms::TRUE => return None,
            Terms::FALSE => return Some(Clause::C("\\false".to_owned())),
            _ => {}
        }
        let terms = &self.logic.paths.encoder.terms;
        let symbol = |symbol: SymbolId, version: u32| {
            self.logic
                .paths
                .encoder
                .cells
                .of_symbol(symbol)
                .filter(|_| version == 0)
                .and_then(|cell| self.c_symbol(speaker, cell))
        };
        match to_c_typed(terms, conjunct, &symbol) {
            Some(text) => Some(Clause::C(text)),
            None if speaker.may_leave_out() && self.is_about_numbers(conjunct) => None,
            None => Some(Clause::Other(self.show_formula(conjunct))),
        }
    }

    /// Is it only about the numbers of objects? These are internal.
    fn is_about_numbers(&self, conjunct: Term) -> bool {
        let encoder = &self.logic.paths.encoder;
        let (cells, next) = (&encoder.cells, encoder.cells.next_object);
        let symbols = encoder.terms.free_symbols(conjunct).into_iter();
        symbols
            .filter_map(|symbol| cells.of_symbol(encoder.terms.as_symbol(symbol)?.0))
            .all(|cell| cell == next || cells.original(cell) == Some(next))
    }

    /// The integer that a cell holds, or that its original held at the entry.
    fn c_symbol(&self, speaker: &Speaker<'_>, cell: CellId) -> Option<CSymbol> {
        let cells = &self.logic.paths.encoder.cells;
        let original = cells.original(cell);
        let data = cells.cells[original.unwrap_or(cell)];
        let ((var, offset), shape) = (data.variable?, data.shape?);
        let width = u32::from(shape.width);
        let named = match original {
            Some(_) => speaker.value_before(var, 8 * offset, width)?,
            None => speaker.value(var, 8 * offset, width)?,
        };
        let types = &self.cfa.program.types;
        // A pointer has a cell with the number of its object.
        let fits = types.is_integer(named.ty) && types.is_signed(named.ty) == shape.signed;
        fits.then_some(CSymbol { text: named.text, bits: shape.width, signed: shape.signed })
    }
}
