//! What lemmas say at a place, after they are shown to hold.

use crate::check::Checker;
use crate::proof::Place;
use crate::show::After;
use summa_c::tree::FuncId;
use summa_encode::{Encoder, PathId};
use summa_term::{Term, Terms};

/// A lemma with more cases than this is not given to the solver. That is sound: the solver may know less than
/// what holds.
const MAX_CASES: usize = 512;

impl Checker<'_> {
    /// What lemmas say about the values at a place.
    pub(crate) fn lemmas_at(&mut self, place: &Place) -> Vec<Term> {
        let is_head = self.facts.loops.is_head(place.node);
        let terms = &mut self.paths.encoder.terms;
        let mut said = Vec::new();
        for layer in &self.lemmas {
            match layer.get(place) {
                Some(cases) if cases.len() > MAX_CASES => {}
                Some(cases) => {
                    let cases: Vec<Term> = cases.iter().map(|case| terms.and(case)).collect();
                    said.push(terms.or(&cases));
                }
                // A cut point without a point: no execution gets there.
                None if is_head => said.push(Terms::FALSE),
                None => {}
            }
        }
        said
    }

    /// What lemmas say where some calls were not followed: at a place of a procedure, for any caller. An
    /// execution and the walks of the proof agree in static variables and in those of active functions. Other
    /// cells, such as variables of a function that has returned, are not used.
    ///
    /// Only at loop heads: these are cut points whatever calls wait, so that calls for which a set has no
    /// point do not get there. Elsewhere a set says nothing about the calls for which it has no point.
    pub(crate) fn lemmas_within(&mut self, function: FuncId, place: &Place) -> Vec<Term> {
        if !self.facts.loops.is_head(place.node) {
            return Vec::new();
        }
        let cfa = self.cfa;
        let active = place.functions(cfa, function);
        let encoder = &mut self.paths.encoder;
        let is_seen = |encoder: &Encoder<'_>, symbol: Term| {
            let cell =
                encoder.terms.as_symbol(symbol).and_then(|(family, _)| encoder.cells.of_symbol(family));
            let variable = cell.and_then(|cell| encoder.cells.cells[cell].variable);
            variable.is_some_and(|(var, _)| {
                cfa.program.vars[var].kind.frame().is_none_or(|frame| active.contains(&frame))
            })
        };
        let mut said = Vec::new();
        for layer in &self.lemmas {
            let mut cases = Vec::new();
            // The order of cases only determines the order of a disjunction, which is sorted.
            let mut places: Vec<&Place> = layer
                .keys()
                .filter(|known| known.node == place.node && known.calls.ends_with(&place.calls))
                .collect();
            places.sort_unstable();
            for case in places.into_iter().flat_map(|place| &layer[place]) {
                let mut seen = case.clone();
                seen.retain(|&formula| {
                    encoder.terms.free_symbols(formula).into_iter().all(|symbol| is_seen(encoder, symbol))
                });
                cases.push(encoder.terms.and(&seen));
            }
            if cases.len() <= MAX_CASES {
                said.push(encoder.terms.or(&cases));
            }
        }
        said
    }

    /// The same after a path, if it is taken.
    pub(crate) fn lemmas_behind(&mut self, place: &Place, path: PathId) -> Vec<Term> {
        let said = self.lemmas_at(place);
        let mut after = After::new(&self.paths, path);
        let not_there = self.paths.guard(path);
        let not_there = self.paths.encoder.terms.not(not_there);
        let mut known = Vec::new();
        for formula in said {
            let holds = after.read(&mut self.paths, formula);
            known.push(self.paths.encoder.terms.or2(not_there, holds));
        }
        known.retain(|&fact| fact != Terms::TRUE);
        known
    }
}
