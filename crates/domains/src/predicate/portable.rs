//! Abstraction states and precisions as data: locations and formulas over the names of cells.
//!
//! Limits: only states where a block begins. A state inside of a block has a path formula over symbols of its run, and the inputs
//! that belong to them; nobody but that run can go on from it. Formulas number objects by counting functions and variables: one
//! that speaks of such numbers is for programs with as many.

use super::{Abstraction, Predicate, PredicatePrecision, PredicateState};
use crate::portable::{count, list, misfit, node, parts, read_node, text};
use serde_json::{Value as Json, json};
use summa_bam::Storable;
use summa_cfa::NodeId;
use summa_cpa::{Misfit, Portable};
use summa_encode::{CellId, CellNames, Cells};
use summa_facts::blocks::Block;
use summa_term::portable::{Names, Rows, read, write};
use summa_term::{FunctionId, Sort, Term, Terms};

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

impl Predicate<'_> {
    fn cell_names(&self) -> &CellNames {
        self.cell_names.get_or_init(|| CellNames::new(&self.paths.encoder))
    }

    /// The cells that formulas are about.
    fn cells_in(&self, formulas: &[Term]) -> Result<Vec<CellId>, Misfit> {
        let encoder = &self.paths.encoder;
        let mut cells = Vec::new();
        for symbol in formulas.iter().flat_map(|&formula| encoder.terms.free_symbols(formula)) {
            let cell = encoder.terms.as_symbol(symbol).filter(|&(_, version)| version == 0);
            let cell = cell.and_then(|(family, _)| encoder.cells.of_symbol(family));
            let more = || Misfit::new("a formula about more than the values of cells");
            cells.push(cell.ok_or_else(more)?);
        }
        Ok(cells)
    }

    /// With how many objects there are before the run makes some, if formulas speak of their numbers.
    fn save_formulas(&self, formulas: &[Term]) -> Result<Json, Misfit> {
        let encoder = &self.paths.encoder;
        let is_numbered = self.cells_in(formulas)?.into_iter().any(|cell| self.cell_names().is_object(cell));
        let objects = is_numbered.then(|| encoder.cells.first_free_object());
        let Rows { rows, roots } = write(&encoder.terms, formulas).map_err(Misfit)?;
        // One row for each term, children first.
        let terms = encoder.terms.post_order(formulas).into_iter();
        let rows = terms.zip(rows).map(|(term, row)| self.with_cell_name(term, row));
        Ok(json!([objects, rows.collect::<Result<Vec<String>, Misfit>>()?, roots]))
    }

    /// The row of a symbol has the name of its cell.
    fn with_cell_name(&self, term: Term, row: String) -> Result<String, Misfit> {
        let encoder = &self.paths.encoder;
        let Some((symbol, _)) = encoder.terms.as_symbol(term) else { return Ok(row) };
        let cell = encoder.cells.of_symbol(symbol);
        let name = cell.and_then(|cell| self.cell_names().name(cell));
        let name = name.ok_or_else(|| Misfit::new("a formula about memory without a name"))?;
        let words: Vec<&str> = row.splitn(4, ' ').take(3).collect();
        Ok(format!("{} {name}", words.join(" ")))
    }

    /// The predicates of a precision one by one as data, the first ones; those that mean nothing outside of this run are left out.
    pub fn save_predicates(&self, precision: &PredicatePrecision, at_most: usize) -> Vec<Json> {
        let all = precision.iter().flat_map(|(at, predicates)| predicates.iter().map(move |&one| (at, one)));
        let save = |(at, one)| Some(json!([node(self.cfa, at), self.save_formulas(&[one]).ok()?]));
        all.filter_map(save).take(at_most).collect()
    }

    /// A predicate that another run on this program has saved, and its location.
    ///
    /// # Errors
    /// It is no predicate of this program.
    pub fn load_predicate(&mut self, saved: &Json) -> Result<(NodeId, Term), Misfit> {
        let [at, formula] = parts(saved)?;
        let at = read_node(self.cfa, at)?;
        match self.load_formulas(formula)?[..] {
            [formula] => Ok((at, formula)),
            _ => Err(misfit("one formula", formula)),
        }
    }

    fn load_formulas(&mut self, saved: &Json) -> Result<Vec<Term>, Misfit> {
        self.cell_names();
        let [objects, rows, roots] = parts(saved)?;
        let encoder = &mut self.paths.encoder;
        if !objects.is_null() && count(objects)? != encoder.cells.first_free_object() {
            return Err(Misfit::new("a formula that numbers other objects"));
        }
        let rows = Rows {
            rows: list(rows)?.iter().map(|row| Ok(text(row)?.to_owned())).collect::<Result<_, Misfit>>()?,
            roots: list(roots)?
                .iter()
                .map(|root| Ok(count(root)? as usize))
                .collect::<Result<_, Misfit>>()?,
        };
        let address = encoder.address_function();
        let none = || Misfit::new("cells have no names");
        let names = self.cell_names.get().ok_or_else(none)?;
        let mut names = Vocabulary { cells: &encoder.cells, names, address };
        let formulas = read(&mut encoder.terms, &rows, &mut names)
            .map_err(|row| Misfit(format!("no formula of this program: {row}")))?;
        if formulas.iter().any(|&formula| encoder.terms.sort(formula) != Sort::Bool) {
            return Err(misfit("a formula", saved));
        }
        Ok(formulas)
    }
}

impl Portable for Predicate<'_> {
    fn save(&self, state: &PredicateState) -> Result<Json, Misfit> {
        let Abstraction { formula, node: at, .. } = self.abstractions[state.abstraction];
        let is_start = state.path == self.paths.program_start();
        let is_entry = self.paths.is_entry(state.path) || self.paths.is_summary_entry(state.path);
        if !state.is_abstraction || !is_start && !is_entry {
            return Err(Misfit::new("a state inside of a block means nothing outside of its run"));
        }
        Ok(json!([node(self.cfa, at), is_start, self.save_formulas(&[formula])?]))
    }

    /// The first state of a summary comes back as any other: see [`Storable::as_reduced`].
    fn load(&mut self, saved: &Json) -> Result<PredicateState, Misfit> {
        let [at, is_start, formula] = parts(saved)?;
        let at = read_node(self.cfa, at)?;
        let is_start = is_start.as_bool().ok_or_else(|| misfit("a truth value", is_start))?;
        if is_start && at != self.cfa.entry() {
            return Err(misfit("the start of the program", saved));
        }
        let formulas = self.load_formulas(formula)?;
        let &[formula] = &formulas[..] else { return Err(misfit("one formula", formula)) };
        // Equal ones are one: so are the paths through them. Without a diagram the solver decides coverage; refinement of predicates
        // begins here.
        let abstractions = &mut self.abstractions;
        let abstraction = *self.summaries.loaded.entry((at, formula)).or_insert_with(|| {
            let constants = Default::default();
            abstractions.push(Abstraction { formula, region: None, node: at, block: None, constants })
        });
        let path = if is_start { self.paths.program_start() } else { self.paths.block_entry() };
        Ok(PredicateState { abstraction, path, is_abstraction: true })
    }
}

impl Storable for Predicate<'_> {
    fn save_precision(&self, precision: &PredicatePrecision) -> Result<Json, Misfit> {
        let places: Vec<Json> =
            precision.iter().map(|(at, predicates)| json!([node(self.cfa, at), predicates.len()])).collect();
        let all: Vec<Term> = precision.iter().flat_map(|(_, predicates)| predicates).copied().collect();
        Ok(json!([precision.is_exact, places, self.save_formulas(&all)?]))
    }

    fn load_precision(&mut self, saved: &Json, into: &mut PredicatePrecision) -> Result<(), Misfit> {
        let [is_exact, places, formulas] = parts(saved)?;
        let is_exact = is_exact.as_bool().ok_or_else(|| misfit("a truth value", is_exact))?;
        let mut predicates = self.load_formulas(formulas)?.into_iter();
        let mut loaded = PredicatePrecision { is_exact, ..PredicatePrecision::default() };
        for place in list(places)? {
            let [at, len] = parts(place)?;
            let (at, len): (NodeId, usize) = (read_node(self.cfa, at)?, count(len)? as usize);
            let some: Vec<Term> = predicates.by_ref().take(len).collect();
            if some.len() != len {
                return Err(misfit("as many predicates", place));
            }
            loaded.add(at, &some);
        }
        into.join(&loaded);
        Ok(())
    }

    /// The formula is about the inputs of the block, and the path begins with their copies.
    fn as_reduced(&mut self, block: &Block, loaded: PredicateState) -> Result<PredicateState, Misfit> {
        let interface = self.interface(block);
        let Abstraction { formula, node, .. } = self.abstractions[loaded.abstraction];
        let is_start = loaded.path == self.paths.program_start();
        if is_start || node != block.entry || !self.is_about(formula, &interface.inputs) {
            return Err(Misfit::new("no state at the entry of the block"));
        }
        Ok(PredicateState { path: self.paths.summary_entry(&interface), ..loaded })
    }
}
