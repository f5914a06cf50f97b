//! Interpolants of trees of blocks, and the run that a model of a tree stands for.
//!
//! Paper: Heizmann, Hoenicke, Podelski, *Nested interpolants*, POPL 2010. The interpolant at the end of a
//! branch relates the values at the entry of its block with those at the exit, so it is a summary.

use crate::chain::Counterexample;
use crate::hoare::LIGHT_TIME;
use crate::tree::{BlockTree, Place};
use crate::workbench::Workbench;
use summa_base::{FxHashMap, Unanswered};
use summa_encode::Input;
use summa_encode::path::Event;
use summa_smt::Model;
use summa_term::{Evaluator, Term, Terms, Value};

/// What is left to be visited in the order of a run.
enum Visit {
    Block(usize),
    Input(Input, Option<Value>),
}

impl Workbench<'_> {
    /// The summaries that are not unfolded and through which the run of a model leads, the nearest to the end
    /// last.
    pub fn folded_on(&self, tree: &BlockTree, model: &Model) -> Vec<Place> {
        let mut evaluator = Evaluator::new(&self.paths.encoder.terms, model);
        let taken = tree.folded().filter(|&(_, guard)| evaluator.is_true(guard) != Some(false));
        taken.map(|(place, _)| place).collect()
    }

    /// The inputs of the run that a model stands for, in its order: into the blocks behind summaries.
    pub fn inputs_of(&mut self, tree: &BlockTree, model: &Model) -> Counterexample {
        let (mut inputs, mut approximations) = (Vec::new(), Vec::new());
        let mut todo: Vec<Visit> = tree.trunk.iter().rev().map(|&block| Visit::Block(block)).collect();
        while let Some(visit) = todo.pop() {
            let block = match visit {
                Visit::Block(block) => &tree.blocks[block],
                Visit::Input(input, value) => {
                    inputs.push((input, value));
                    continue;
                }
            };
            approximations.extend(self.paths.approximations(block.path));
            let events = self.paths.instantiate_events(block.path, &block.entry, block.instance);
            let mut evaluator = Evaluator::new(&self.paths.encoder.terms, model);
            let mut inside: Vec<Visit> = Vec::new();
            let mut chains = block.chains.iter();
            for event in events {
                match event {
                    Event::Input(input) => {
                        if evaluator.is_true(input.guard) == Some(true) {
                            let value = input.value.chosen(&mut evaluator);
                            inside.push(Visit::Input(input, value));
                        }
                    }
                    Event::Summary(used) => {
                        let chain = chains.next();
                        if evaluator.is_true(used.guard) == Some(true) {
                            inside.extend(chain.into_iter().flatten().map(|&block| Visit::Block(block)));
                        }
                    }
                }
            }
            todo.extend(inside.into_iter().rev());
        }
        Counterexample { inputs, approximations }
    }

    /// One interpolant for each block, over symbols with versions and without guards of branches. `plainly`
    /// asks only the sources that follow the trace.
    ///
    /// # Errors
    /// None were found in time, or the tree has a model.
    pub fn interpolants_of_tree(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Unanswered> {
        let light = self.lighten(formulas, &[]);
        let is_contradiction = light.is_lighter() && !self.may_be_sat(&light.formulas, LIGHT_TIME)?;
        let restored = match is_contradiction.then(|| self.raw_interpolants(tree, &light.formulas, plainly)) {
            Some(Ok(found)) => {
                let terms = self.terms();
                Some(found.into_iter().map(|one| light.restore(terms, one)).collect())
            }
            None | Some(Err(Unanswered::GaveUp(_))) => None,
            Some(Err(stop)) => return Err(stop),
        };
        let interpolants: Vec<Term> = match restored {
            Some(found) => found,
            None => self.raw_interpolants(tree, formulas, plainly)?,
        };
        let taken: FxHashMap<Term, Term> = tree.guards.iter().map(|&guard| (guard, Terms::TRUE)).collect();
        let terms = self.terms();
        Ok(interpolants.into_iter().map(|one| terms.substitute(one, &taken)).collect())
    }

    /// Interpolants of the tree as a whole, or else level by level.
    fn raw_interpolants(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Unanswered> {
        let problem = tree.with(formulas)?;
        match self.solver.tree_interpolants(&mut self.paths.encoder.terms, &problem, plainly) {
            Err(Unanswered::GaveUp(_)) => self.interpolants_by_levels(tree, formulas, plainly),
            answer => answer,
        }
    }
}
