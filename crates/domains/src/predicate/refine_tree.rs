//! Refinement through blocks: summaries are unfolded as far as the error path needs it.
//!
//! Papers: Heizmann, Hoenicke, Podelski, *Nested interpolants*, POPL 2010; Beyer, Friedberger, ESEC/FSE 2020, Section 4; Lal, Qadeer,
//! Lahiri, *A solver for reachability modulo theories*, CAV 2012 (unfolding by need). The formula of an error path is the tree of
//! `block_tree`. At first every summary on it is a fact. If that is a contradiction already, the blocks behind the summaries have
//! nothing to do with it, and the interpolants of the open blocks rule the path out. Otherwise a model tells through which summaries
//! the run would lead. Those nearest to the error are unfolded, each time twice as many and twice as deep, until there is a contradiction
//! or all of the run is there.

use super::block_tree::{BlockTree, OpenFrame, Place, Unfolding};
use super::refine::{Counterexample, LIGHT_TIME, predicates};
use super::{Predicate, PredicatePrecision};
use summa_base::FxHashMap;
use summa_cpa::{Refinement, Stop};
use summa_encode::Input;
use summa_encode::path::Event;
use summa_smt::Model;
use summa_term::{Evaluator, Term, Terms, Value};

impl Predicate<'_> {
    /// Is the path to a target feasible? If not, the precision gets what rules it out.
    ///
    /// # Errors
    /// The path is too long, nobody could tell, or nothing new rules it out.
    pub fn refine_through_blocks(
        &mut self,
        frames: &[OpenFrame],
        precision: &mut PredicatePrecision,
    ) -> Result<Refinement<Counterexample>, Stop> {
        self.counters.refinements += 1;
        let (mut unfolding, mut step) = (Unfolding::default(), 1);
        loop {
            let tree = self.block_tree(frames, &mut unfolding)?;
            let formulas: Vec<Term> = tree.blocks.iter().map(|block| block.formula).collect();
            let folded = match self.logic.find_model(&mut self.paths.encoder.terms, &formulas)? {
                Some(model) => {
                    let taken = self.folded_on(&tree, &model);
                    if taken.is_empty() {
                        return Ok(Refinement::Feasible(self.inputs_of(&tree, &model)));
                    }
                    taken
                }
                None => {
                    let failure = match self.rule_out(&tree, &formulas, precision)? {
                        None => return Ok(Refinement::Refined),
                        Some(failure) => failure,
                    };
                    let folded: Vec<Place> = tree.folded().map(|(place, _)| place).collect();
                    if folded.is_empty() {
                        if precision.is_exact {
                            return Err(failure);
                        }
                        (self.is_exact, precision.is_exact) = (true, true);
                        return Ok(Refinement::Refined);
                    }
                    // The facts are not enough to go by: what is behind them may tell something new.
                    folded
                }
            };
            for &place in folded.iter().rev().take(step) {
                unfolding.unfold(place, step as u32);
            }
            step *= 2;
        }
    }

    /// The summaries through which the run of a model leads, the nearest to the error last.
    fn folded_on(&self, tree: &BlockTree, model: &Model) -> Vec<Place> {
        let mut evaluator = Evaluator::new(&self.paths.encoder.terms, model);
        let taken = tree.folded().filter(|&(_, guard)| evaluator.is_true(guard) != Some(false));
        taken.map(|(place, _)| place).collect()
    }

    /// Adds what rules the path out; why not, if nothing new does. The ladder: atoms, whole interpolants, the same of interpolants
    /// that follow the trace.
    fn rule_out(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        precision: &mut PredicatePrecision,
    ) -> Result<Option<Stop>, Stop> {
        let mut failure = None;
        for plainly in [false, true] {
            let interpolants = match self.interpolants_of_tree(tree, formulas, plainly) {
                Ok(found) => found,
                Err(stop @ Stop::GaveUp(_)) => {
                    failure = Some(stop);
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            for whole in [false, true] {
                if self.add_predicates(tree, &interpolants, whole, precision) {
                    return Ok(None);
                }
            }
        }
        let again = "the same counterexample came back and nothing new rules it out";
        Ok(Some(failure.unwrap_or_else(|| Stop::GaveUp(again.to_owned()))))
    }

    /// The inputs of the run that a model stands for, in its order: into the blocks behind summaries.
    fn inputs_of(&mut self, tree: &BlockTree, model: &Model) -> Counterexample {
        enum Visit {
            Block(usize),
            Input(Input, Option<Value>),
        }
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

    /// One interpolant for each block, over symbols with versions and without guards of branches.
    fn interpolants_of_tree(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Stop> {
        let light = self.lighten(formulas, &[]);
        let terms = &mut self.paths.encoder.terms;
        let is_contradiction =
            light.is_lighter() && !self.logic.may_be_sat(terms, &light.formulas, LIGHT_TIME)?;
        let restored = match is_contradiction.then(|| self.raw_interpolants(tree, &light.formulas, plainly)) {
            Some(Ok(found)) => {
                let terms = &mut self.paths.encoder.terms;
                Some(found.into_iter().map(|one| light.restore(terms, one)).collect())
            }
            None | Some(Err(Stop::GaveUp(_))) => None,
            Some(Err(stop)) => return Err(stop),
        };
        let interpolants: Vec<Term> = match restored {
            Some(found) => found,
            None => self.raw_interpolants(tree, formulas, plainly)?,
        };
        let terms = &mut self.paths.encoder.terms;
        let taken: FxHashMap<Term, Term> = tree.guards.iter().map(|&guard| (guard, Terms::TRUE)).collect();
        Ok(interpolants.into_iter().map(|one| terms.substitute(one, &taken)).collect())
    }

    /// Interpolants of the tree as a whole, or else level by level.
    fn raw_interpolants(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Stop> {
        let problem = tree.with(formulas)?;
        match self.logic.tree_interpolants(&mut self.paths.encoder.terms, &problem, plainly) {
            Err(Stop::GaveUp(_)) => self.interpolants_by_levels(tree, formulas, plainly),
            answer => answer,
        }
    }

    /// Interpolants become predicates where their blocks end; false if none is new.
    fn add_predicates(
        &mut self,
        tree: &BlockTree,
        interpolants: &[Term],
        whole: bool,
        precision: &mut PredicatePrecision,
    ) -> bool {
        let mut is_new = false;
        for (block, &interpolant) in tree.blocks.iter().zip(interpolants) {
            let Some(node) = block.end else { continue };
            // What is about other values than those at the end of the block cannot be said there.
            if let Some(interpolant) = self.paths.uninstantiate(interpolant, &block.exit) {
                is_new |= precision.add(node, &predicates(self.terms(), interpolant, whole));
            }
        }
        is_new
    }
}
