//! Abstraction states and precisions as data: locations and formulas over the names of cells.
//!
//! Limits: only states where a block begins. A state inside of a block has a path formula over symbols of its
//! run, and inputs that belong to them, so only that run can continue it. Formulas number objects by counting
//! functions and variables. So a formula with such numbers can only be read for a program with as many
//! functions and variables.

use super::{Abstraction, Predicate, PredicatePrecision, PredicateState};
use crate::portable::{count, list, misfit, node, parts, read_node, text};
use serde_json::{Value as Json, json};
use summa_bam::Storable;
use summa_cfa::NodeId;
use summa_cpa::{Misfit, Portable};
use summa_facts::blocks::Block;
use summa_logic::SavedFormulas;
use summa_term::Term;
use summa_term::portable::Rows;

impl Predicate<'_> {
    fn save_formulas(&self, formulas: &[Term]) -> Result<Json, Misfit> {
        let SavedFormulas { objects, rows: Rows { rows, roots } } =
            self.logic.save(formulas).map_err(Misfit)?;
        Ok(json!([objects, rows, roots]))
    }

    fn load_formulas(&mut self, saved: &Json) -> Result<Vec<Term>, Misfit> {
        let [objects, rows, roots] = parts(saved)?;
        let objects = if objects.is_null() { None } else { Some(count(objects)?) };
        let rows = Rows {
            rows: list(rows)?.iter().map(|row| Ok(text(row)?.to_owned())).collect::<Result<_, Misfit>>()?,
            roots: list(roots)?
                .iter()
                .map(|root| Ok(count(root)? as usize))
                .collect::<Result<_, Misfit>>()?,
        };
        self.logic.load(&SavedFormulas { objects, rows }).map_err(Misfit)
    }
}

impl Portable for Predicate<'_> {
    fn save(&self, state: &PredicateState) -> Result<Json, Misfit> {
        let Abstraction { formula, node: at, .. } = self.abstractions[state.abstraction];
        let is_start = state.path == self.logic.paths.program_start();
        let is_entry = self.logic.paths.is_entry(state.path) || self.logic.paths.is_summary_entry(state.path);
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
        // Equal ones are one: so are the paths through them. Without a diagram the solver decides coverage;
        // refinement of predicates begins here.
        let abstractions = &mut self.abstractions;
        let abstraction = *self.summaries.loaded.entry((at, formula)).or_insert_with(|| {
            let constants = Default::default();
            abstractions.push(Abstraction { formula, region: None, node: at, block: None, constants })
        });
        let path = if is_start { self.logic.paths.program_start() } else { self.logic.paths.block_entry() };
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
        let is_start = loaded.path == self.logic.paths.program_start();
        if is_start || node != block.entry || !self.is_about(formula, &interface.inputs) {
            return Err(Misfit::new("no state at the entry of the block"));
        }
        Ok(PredicateState { path: self.logic.paths.summary_entry(&interface), ..loaded })
    }
}
