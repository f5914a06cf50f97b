//! The formulas of a proof as terms of the checker: symbols are cells in version 0, by name.

use crate::proof::{Formula, Proof};
use crate::refusal::Refusal;
use std::collections::BTreeMap;
use summa_base::FxHashMap;
use summa_encode::{CellId, Cells, Encoder};
use summa_term::portable::{Names, read};
use summa_term::{FunctionId, Op, Sort, Term, Terms};

struct Vocabulary<'c> {
    cells: &'c Cells,
    by_name: FxHashMap<String, CellId>,
    address: FunctionId,
}

impl Names for Vocabulary<'_> {
    fn symbol(&mut self, terms: &mut Terms, name: &str, sort: Sort, version: u32) -> Option<Term> {
        let &cell = self.by_name.get(name).filter(|_| version == 0)?;
        let data = &self.cells.cells[cell];
        (data.sort == sort).then(|| terms.symbol(data.symbol, 0))
    }

    fn function(&mut self, terms: &mut Terms, name: &str, _: &[Sort], _: Sort) -> Option<FunctionId> {
        (terms.function_name(self.address) == name).then_some(self.address)
    }
}

/// The formulas of a proof.
pub(crate) struct Formulas {
    terms: Vec<Term>,
}

impl Formulas {
    /// # Errors
    /// Rows that mean nothing in this program.
    pub(crate) fn read(encoder: &mut Encoder<'_>, proof: &Proof) -> Result<Self, Refusal> {
        let address = encoder.address_function();
        let name = |symbol| encoder.terms.symbol_name(symbol).to_owned();
        let by_name = encoder.cells.cells.iter().map(|(id, cell)| (name(cell.symbol), id)).collect();
        let mut names = Vocabulary { cells: &encoder.cells, by_name, address };
        let terms = read(&mut encoder.terms, &proof.formulas, &mut names)
            .map_err(|row| Refusal::Malformed(format!("no formula: {row}")))?;
        if terms.iter().any(|&term| encoder.terms.sort(term) != Sort::Bool) {
            return Err(Refusal::Malformed("a term that is no formula".to_owned()));
        }
        Ok(Self { terms })
    }

    /// # Errors
    /// There is none of this number.
    pub(crate) fn get(&self, formula: Formula) -> Result<Term, Refusal> {
        let missing = || Refusal::Malformed(format!("there is no formula {}", formula.0));
        self.terms.get(formula.0).copied().ok_or_else(missing)
    }
}

/// A formula as cases, one of which holds. Each is a list of formulas that hold in it.
pub(crate) fn cases(terms: &Terms, formula: Term) -> Vec<Vec<Term>> {
    if formula == Terms::FALSE {
        return Vec::new();
    }
    terms.disjuncts(formula).into_iter().map(|case| terms.conjuncts(case)).collect()
}

/// What conjuncts say about cells exactly, as their values: `c = 5`, and `a[3] = 5` as `a` with 5 stored at
/// 3, which is the same array. Path formulas that begin with such values need no solver to see where they
/// lead.
pub(crate) fn values(encoder: &mut Encoder<'_>, conjuncts: &[Term]) -> Vec<(CellId, Term)> {
    let mut values: BTreeMap<CellId, Term> = BTreeMap::new();
    for &conjunct in conjuncts {
        let terms = &encoder.terms;
        let Some((Op::Eq, &[a, b])) = terms.as_app(conjunct) else { continue };
        let (place, value) = if terms.is_constant(a) { (b, a) } else { (a, b) };
        if !terms.is_constant(value) {
            continue;
        }
        let (root, indices) = selected(terms, place);
        let Some((symbol, 0)) = terms.as_symbol(root) else { continue };
        let Some(cell) = encoder.cells.of_symbol(symbol) else { continue };
        let before = values.get(&cell).copied().unwrap_or(root);
        values.insert(cell, stored(&mut encoder.terms, before, &indices, value));
    }
    values.into_iter().collect()
}

/// The array from which a term is selected, and at which constant indices, outermost first.
fn selected(terms: &Terms, mut term: Term) -> (Term, Vec<Term>) {
    let mut indices = Vec::new();
    while let Some((Op::Select, &[array, index])) = terms.as_app(term) {
        if !terms.is_constant(index) {
            break;
        }
        indices.push(index);
        term = array;
    }
    indices.reverse();
    (term, indices)
}

/// The array with the value at these indices; there are at most two.
fn stored(terms: &mut Terms, array: Term, indices: &[Term], value: Term) -> Term {
    match *indices {
        [] => value,
        [index] => terms.store(array, index, value),
        [outer, ref inner @ ..] => {
            let row = terms.select(array, outer);
            let row = stored(terms, row, inner, value);
            terms.store(array, outer, row)
        }
    }
}
