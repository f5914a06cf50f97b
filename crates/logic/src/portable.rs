//! Formulas over cells as data, with names of cells that mean the same in another run on the same program.
//!
//! Limits: only values of cells in version 0, which is what formulas at locations are about. Formulas number
//! objects by counting functions and variables. So a formula with such numbers can only be read for a program
//! with as many functions and variables.

use crate::workbench::Workbench;
use summa_encode::{CellId, CellNames, Cells};
use summa_term::portable::{Names, Rows, read, write};
use summa_term::{FunctionId, Sort, Term, Terms};

/// Formulas as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedFormulas {
    /// How many objects there are before the run makes some, if the formulas speak of their numbers.
    pub objects: Option<u32>,
    pub rows: Rows,
}

/// Symbols are cells in version 0; the encoder has one function.
struct Vocabulary<'c> {
    cells: &'c Cells,
    names: &'c CellNames,
    address: FunctionId,
}

impl Names for Vocabulary<'_> {
    fn symbol(&mut self, terms: &mut Terms, name: &str, _: Sort, version: u32) -> Option<Term> {
        let cell = self.names.find(name).filter(|_| version == 0)?;
        Some(terms.symbol(self.cells.cells[cell].symbol, version))
    }

    fn function(&mut self, terms: &mut Terms, name: &str, _: &[Sort], _: Sort) -> Option<FunctionId> {
        (terms.function_name(self.address) == name).then_some(self.address)
    }
}

impl Workbench<'_> {
    fn cell_names(&self) -> &CellNames {
        self.cell_names.get_or_init(|| CellNames::new(&self.paths.encoder))
    }

    /// The cells that formulas are about.
    fn cells_in(&self, formulas: &[Term]) -> Result<Vec<CellId>, String> {
        let encoder = &self.paths.encoder;
        let mut cells = Vec::new();
        for symbol in formulas.iter().flat_map(|&formula| encoder.terms.free_symbols(formula)) {
            let cell = encoder.terms.as_symbol(symbol).filter(|&(_, version)| version == 0);
            let cell = cell.and_then(|(family, _)| encoder.cells.of_symbol(family));
            cells.push(cell.ok_or("a formula about more than the values of cells")?);
        }
        Ok(cells)
    }

    /// # Errors
    /// The formulas mean nothing outside of this run.
    pub fn save(&self, formulas: &[Term]) -> Result<SavedFormulas, String> {
        let encoder = &self.paths.encoder;
        let is_numbered = self.cells_in(formulas)?.into_iter().any(|cell| self.cell_names().is_object(cell));
        let objects = is_numbered.then(|| encoder.cells.first_free_object());
        let Rows { rows, roots } = write(&encoder.terms, formulas)?;
        // One row for each term, children first.
        let terms = encoder.terms.post_order(formulas).into_iter();
        let rows = terms.zip(rows).map(|(term, row)| self.with_cell_name(term, row));
        let rows = rows.collect::<Result<Vec<String>, String>>()?;
        Ok(SavedFormulas { objects, rows: Rows { rows, roots } })
    }

    /// The row of a symbol has the name of its cell.
    fn with_cell_name(&self, term: Term, row: String) -> Result<String, String> {
        let encoder = &self.paths.encoder;
        let Some((symbol, _)) = encoder.terms.as_symbol(term) else { return Ok(row) };
        let cell = encoder.cells.of_symbol(symbol);
        let name = cell.and_then(|cell| self.cell_names().name(cell));
        let name = name.ok_or("a formula about memory without a name")?;
        let words: Vec<&str> = row.splitn(4, ' ').take(3).collect();
        Ok(format!("{} {name}", words.join(" ")))
    }

    /// # Errors
    /// They are no formulas of this program.
    pub fn load(&mut self, saved: &SavedFormulas) -> Result<Vec<Term>, String> {
        self.cell_names();
        let encoder = &mut self.paths.encoder;
        if saved.objects.is_some_and(|objects| objects != encoder.cells.first_free_object()) {
            return Err("a formula that numbers other objects".to_owned());
        }
        let address = encoder.address_function();
        let names = self.cell_names.get().ok_or("cells have no names")?;
        let mut names = Vocabulary { cells: &encoder.cells, names, address };
        let formulas = read(&mut encoder.terms, &saved.rows, &mut names)
            .map_err(|row| format!("no formula of this program: {row}"))?;
        if formulas.iter().any(|&formula| encoder.terms.sort(formula) != Sort::Bool) {
            return Err("a formula is wanted, not another term".to_owned());
        }
        Ok(formulas)
    }
}
