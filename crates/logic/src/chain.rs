//! Chains: sequences of blocks as formulas, with a version of every cell between two blocks.
//!
//! Papers: Beyer, Dangl, Wendler, JAR 2018, Section 3.2 (the counterexample formula); McMillan, *Lazy
//! abstraction with interpolants*, CAV 2006. If the conjunction of a chain has a model, the model is an
//! execution. Otherwise inductive interpolants τ₁ … τₙ show that there is none: each block leads from states
//! of τᵢ to states of τᵢ₊₁, and the last one is `false`.

use crate::hoare::LIGHT_TIME;
use crate::workbench::Workbench;
use summa_base::Unanswered;
use summa_encode::{Approximation, Input, PathId, Ssa};
use summa_smt::Model;
use summa_term::{Evaluator, Term, Terms, Value};

/// A model of a path: the inputs in the order in which a run consumes them.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub inputs: Vec<(Input, Option<Value>)>,
    /// Operations on the path that were translated to "any value": the model may not replay because of them.
    pub approximations: Vec<Approximation>,
}

/// A block of a chain: its path, and what is known where it begins, over the cells in version 0.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub known: Term,
    pub path: PathId,
}

impl Block {
    /// A block with nothing known before it.
    pub fn alone(path: PathId) -> Self {
        Self { known: Terms::TRUE, path }
    }
}

/// The block formulas of a path, one behind the other.
pub struct Chain {
    pub formulas: Vec<Term>,
    /// Versions of the cells after each block.
    pub versions: Vec<Ssa>,
}

impl Workbench<'_> {
    /// Block formulas with versions.
    pub fn chain(&mut self, blocks: &[Block]) -> Chain {
        let mut versions = Ssa::zero(&self.paths.encoder.cells);
        let mut chain = Chain { formulas: Vec::new(), versions: Vec::new() };
        for (i, block) in blocks.iter().enumerate() {
            let instance = self.paths.instantiate(block.path, &versions, i as u32);
            let known = self.known_at(block.known, &versions);
            chain.formulas.push(self.terms().and2(known, instance.formula));
            chain.versions.push(instance.exit.clone());
            versions = instance.exit;
        }
        chain
    }

    /// A formula over cells together with the facts about them, at some versions.
    pub(crate) fn known_at(&mut self, known: Term, versions: &Ssa) -> Term {
        let mut parts = self.paths.entry_facts_of(&[known]);
        parts.push(known);
        let known = self.terms().and(&parts);
        self.paths.instantiate_term(known, versions)
    }

    /// Adds to a chain that a formula holds behind it.
    pub fn end_with(&mut self, chain: &mut Chain, formula: Term) {
        let end = chain.versions.last().cloned();
        let end = end.unwrap_or_else(|| Ssa::zero(&self.paths.encoder.cells));
        let formula = self.paths.instantiate_term(formula, &end);
        chain.formulas.push(formula);
        chain.versions.push(end);
    }

    /// A model of one path, if there is one.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn counterexample_of(&mut self, path: PathId) -> Result<Option<Counterexample>, Unanswered> {
        let blocks = [Block::alone(path)];
        let chain = self.chain(&blocks);
        self.counterexample(&blocks, &chain)
    }

    /// A model of one of the paths, and which one that is; None if none can be taken.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn counterexample_among(
        &mut self,
        paths: &[PathId],
    ) -> Result<Option<(usize, Counterexample)>, Unanswered> {
        let Some(formulas) = self.one_taken(&[], paths) else { return Ok(None) };
        let Some(model) = self.find_model(&formulas)? else { return Ok(None) };
        let mut evaluator = Evaluator::new(&self.paths.encoder.terms, &model);
        let taken = paths.iter().position(|&path| evaluator.is_true(self.paths.guard(path)) == Some(true));
        if let Some(taken) = taken {
            let inputs = self.chosen(&model, self.paths.inputs(paths[taken]));
            let approximations = self.paths.approximations(paths[taken]);
            return Ok(Some((taken, Counterexample { inputs, approximations })));
        }
        // The model leaves something open that the paths depend on.
        for (taken, &path) in paths.iter().enumerate() {
            if let Some(found) = self.counterexample_of(path)? {
                return Ok(Some((taken, found)));
            }
        }
        Err(Unanswered::GaveUp("the solver contradicts itself".to_owned()))
    }

    /// A model of a chain as inputs of a run, if there is one.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn counterexample(
        &mut self,
        blocks: &[Block],
        chain: &Chain,
    ) -> Result<Option<Counterexample>, Unanswered> {
        let Some(model) = self.find_model(&chain.formulas)? else { return Ok(None) };
        let mut versions = Ssa::zero(&self.paths.encoder.cells);
        let mut found = Counterexample { inputs: Vec::new(), approximations: Vec::new() };
        for (i, &Block { path, .. }) in blocks.iter().enumerate() {
            let consumed = self.paths.instantiate_inputs(path, &versions, i as u32);
            found.inputs.extend(self.chosen(&model, consumed));
            found.approximations.extend(self.paths.approximations(path));
            versions = chain.versions[i].clone();
        }
        Ok(Some(found))
    }

    /// The inputs that a run consumes, with their values in the model.
    pub fn chosen(&self, model: &Model, inputs: Vec<Input>) -> Vec<(Input, Option<Value>)> {
        let mut evaluator = Evaluator::new(&self.paths.encoder.terms, model);
        let mut chosen = Vec::new();
        for input in inputs {
            if evaluator.is_true(input.guard) == Some(true) {
                let value = input.value.chosen(&mut evaluator);
                chosen.push((input, value));
            }
        }
        chosen
    }

    /// Interpolants τ₁ … τₙ over the cells in version 0, after each block; `plainly` asks only the sources
    /// that follow the trace.
    ///
    /// # Errors
    /// None were found in time, or the chain has a model.
    pub fn interpolants(&mut self, chain: &Chain, plainly: bool) -> Result<Vec<Term>, Unanswered> {
        if let Some(light) = self.light_interpolants(&chain.formulas, plainly)?
            && let Some(found) = self.over_cells(light, chain)
        {
            return Ok(found);
        }
        let exact = self.solver.interpolants(&mut self.paths.encoder.terms, &chain.formulas, plainly)?;
        // Only symbols that both sides share occur, and these are the current versions.
        let found = self.over_cells(exact, chain);
        found.ok_or_else(|| Unanswered::GaveUp("an interpolant over old values".to_owned()))
    }

    /// Interpolants in terms of the cells at their place; None if one is about something else.
    fn over_cells(&mut self, raw: Vec<Term>, chain: &Chain) -> Option<Vec<Term>> {
        let behind = raw.into_iter().skip(1).zip(&chain.versions);
        behind.map(|(interpolant, versions)| self.paths.uninstantiate(interpolant, versions)).collect()
    }

    /// Interpolants of the formulas without their hard atoms, if these contradict each other already.
    fn light_interpolants(
        &mut self,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Option<Vec<Term>>, Unanswered> {
        let light = self.lighten(formulas, &[]);
        if !light.is_lighter() || self.may_be_sat(&light.formulas, LIGHT_TIME)? {
            return Ok(None);
        }
        let terms = &mut self.paths.encoder.terms;
        match self.solver.interpolants(terms, &light.formulas, plainly) {
            Ok(found) => Ok(Some(found.into_iter().map(|one| light.restore(terms, one)).collect())),
            Err(Unanswered::GaveUp(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
