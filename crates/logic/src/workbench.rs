//! The workbench: path formulas of one program, and a solver for questions about them.

use crate::solver::BoundedSolver;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::{Budget, FxHashMap, Unanswered};
use summa_cfa::NodeId;
use summa_encode::{CellNames, Encoder, PathId, Paths};
use summa_smt::{Model, Statistics};
use summa_term::{Renaming, Term, Terms};

/// The time for one question to the solver, unless another one is set.
const QUERY_TIME: Duration = Duration::from_secs(120);

/// Formulas that always hold at a location, over the cells in version 0.
pub type Invariants = BTreeMap<NodeId, Term>;

/// Path formulas and a solver.
pub struct Workbench<'a> {
    pub paths: Paths<'a>,
    pub solver: BoundedSolver,
    /// For [`Workbench::after`].
    renamings: FxHashMap<PathId, Renaming>,
    /// Which atoms are hard, see [`crate::lighten`].
    pub(crate) hard: FxHashMap<Term, bool>,
    /// For formulas as data; made when first asked for.
    pub(crate) cell_names: OnceCell<CellNames>,
}

impl<'a> Workbench<'a> {
    /// A workbench for the formulas of an encoder.
    ///
    /// # Errors
    /// The solver does not start.
    pub fn new(encoder: Encoder<'a>, budget: &Budget) -> Result<Self, Unanswered> {
        Ok(Self {
            paths: Paths::new(encoder),
            solver: BoundedSolver::new(budget, QUERY_TIME)?,
            renamings: FxHashMap::default(),
            hard: FxHashMap::default(),
            cell_names: OnceCell::new(),
        })
    }

    pub fn terms(&mut self) -> &mut Terms {
        &mut self.paths.encoder.terms
    }

    pub fn statistics(&self) -> Statistics {
        self.solver.statistics()
    }

    /// A formula over cells as it reads after a path, in terms of the values before it.
    pub fn after(&mut self, path: PathId, formula: Term) -> Term {
        let state = self.paths.state(path).clone();
        let renaming = self.renamings.entry(path).or_default();
        let (terms, cells) = (&mut self.paths.encoder.terms, &self.paths.encoder.cells);
        renaming.apply(terms, formula, |terms, symbol, version| match cells.of_symbol(symbol) {
            Some(cell) if version == 0 => state.get(cell),
            _ => terms.symbol(symbol, version),
        })
    }

    /// What holds where formulas hold and a path is taken: the formulas, when it is taken, and the facts
    /// about the symbols in the path and in `mentioned`.
    pub fn premises(&mut self, before: &[Term], path: PathId, mentioned: &[Term]) -> Vec<Term> {
        let mut premises = before.to_vec();
        premises.push(self.paths.guard(path));
        premises.extend(self.paths.facts(path));
        let mentioned: Vec<Term> = mentioned.iter().chain(before).copied().collect();
        premises.extend(self.paths.entry_facts_of(&mentioned));
        premises
    }

    /// Is the conjunction satisfiable?
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn is_sat(&mut self, formulas: &[Term]) -> Result<bool, Unanswered> {
        self.solver.is_sat(&mut self.paths.encoder.terms, formulas)
    }

    /// A short question; what is not answered in time counts as satisfiable.
    ///
    /// # Errors
    /// The run is over.
    pub fn may_be_sat(&mut self, formulas: &[Term], time: Duration) -> Result<bool, Unanswered> {
        self.solver.may_be_sat(&mut self.paths.encoder.terms, formulas, time)
    }

    /// A model of the conjunction, if there is one.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn find_model(&mut self, formulas: &[Term]) -> Result<Option<Model>, Unanswered> {
        let time = self.solver.query_time;
        self.find_model_within(formulas, time)
    }

    /// The same, with less time.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn find_model_within(
        &mut self,
        formulas: &[Term],
        time: Duration,
    ) -> Result<Option<Model>, Unanswered> {
        self.solver.find_model(&mut self.paths.encoder.terms, formulas, time)
    }

    /// Does the conjunction of the premises imply the conclusion, both about one state?
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn implies(&mut self, premises: &[Term], conclusion: Term) -> Result<bool, Unanswered> {
        if conclusion == Terms::TRUE || premises.contains(&conclusion) {
            return Ok(true);
        }
        let mut formulas = premises.to_vec();
        formulas.extend(self.paths.entry_facts_of(&[premises, &[conclusion]].concat()));
        formulas.push(self.terms().not(conclusion));
        self.is_sat(&formulas).map(|is_sat| !is_sat)
    }

    /// Can one of the paths be taken where the formulas hold?
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn may_take_one(&mut self, before: &[Term], paths: &[PathId]) -> Result<bool, Unanswered> {
        match self.one_taken(before, paths) {
            Some(formulas) => self.is_sat(&formulas),
            None => Ok(false),
        }
    }

    /// The formulas that say so, with the facts about their symbols; None if the paths are excluded already.
    pub(crate) fn one_taken(&mut self, before: &[Term], paths: &[PathId]) -> Option<Vec<Term>> {
        let guards: Vec<Term> = paths.iter().map(|&path| self.paths.guard(path)).collect();
        let some = self.terms().or(&guards);
        if some == Terms::FALSE {
            return None;
        }
        let mut formulas = before.to_vec();
        for &path in paths {
            formulas.extend(self.paths.facts(path));
        }
        formulas.sort_unstable();
        formulas.dedup();
        formulas.push(some);
        Some(formulas)
    }
}
