//! refine_P: is the error path feasible, and if not, what rules it out?
//!
//! Paper: Section 3.2. The abstract counterexample ⟨e₀, …, eₙ⟩ is the chain of abstraction states, its block formulas are in the
//! table of abstractions. If their conjunction has a model the path is feasible; otherwise inductive interpolants τᵢ go into the
//! precision (below) or into the states (`impact`).
//!
//! *Predicate refinement*: the atoms of τᵢ become predicates at lᵢ; the subtree of the pivot, the first state with a new predicate,
//! is removed together with what it covered, and explored again with the precisions of the whole subtree joined. A path that comes
//! back without a new predicate climbs a ladder: whole interpolants as predicates, interpolants that follow the trace, giving up.

use super::{AbstractionId, Blocks, Predicate, PredicatePrecision, PredicateState, Strategy};
use crate::registry::{AnyPrecision, AnyState, Domain};
use std::rc::Rc;
use std::time::Duration;
use summa_cfa::NodeId;
use summa_cpa::{ArgId, Product, Reached, Refinement, Refiner, Stop};
use summa_encode::{Approximation, Input, PathId, Ssa};
use summa_term::{Evaluator, Term, Terms, Value};

/// A model of an error path: the inputs in the order in which a run consumes them.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub inputs: Vec<(Input, Option<Value>)>,
    /// Operations on the path that were translated to "any value": the model may not replay because of them.
    pub approximations: Vec<Approximation>,
}

/// A block of a path: its formula, and what is known where it begins, over the cells in version 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub(super) known: Term,
    pub(super) path: PathId,
}

impl Block {
    /// A block with nothing known before it.
    fn alone(path: PathId) -> Self {
        Self { known: Terms::TRUE, path }
    }
}

/// The block formulas of a path, one behind the other, with the versions of the cells between them.
pub(super) struct Chain {
    pub(super) formulas: Vec<Term>,
    /// Versions after each block.
    pub(super) versions: Vec<Ssa>,
}

/// For the question whether a path is infeasible without its hard atoms.
pub(super) const LIGHT_TIME: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub struct PredicateRefiner {
    /// Rung of the ladder for counterexamples that come back.
    rung: u32,
}

pub(super) type Arg<'a> = Reached<Product<Domain<'a>>>;

/// The predicate domain of a product, and its place.
pub fn predicate_of<'p, 'a>(product: &'p mut Product<Domain<'a>>) -> Option<(usize, &'p mut Predicate<'a>)> {
    product.components.iter_mut().enumerate().find_map(|(i, domain)| match domain {
        Domain::Predicate(predicate) => Some((i, predicate)),
        _ => None,
    })
}

/// The predicate part of a state of the ARG.
pub(super) fn state_of(reached: &Arg<'_>, index: usize, id: ArgId) -> Option<PredicateState> {
    match &reached.nodes[id].state[index] {
        AnyState::Predicate(state) => Some(*state),
        _ => None,
    }
}

fn no_predicate_domain() -> Stop {
    Stop::GaveUp("the configuration has no predicate domain".to_owned())
}

impl<'a> Refiner<Product<Domain<'a>>> for PredicateRefiner {
    type Evidence = Counterexample;

    fn refine(
        &mut self,
        product: &mut Product<Domain<'a>>,
        reached: &mut Arg<'a>,
        target: ArgId,
    ) -> Result<Refinement<Counterexample>, Stop> {
        let (index, predicate) = predicate_of(product).ok_or_else(no_predicate_domain)?;
        predicate.counters.refinements += 1;
        // Abstract counterexample: the abstraction states on the way, the first without a block before it.
        let (root, path) = reached.path_to(target);
        let ids = std::iter::once(root).chain(path.into_iter().map(|(_, id)| id));
        let abstract_states: Vec<(ArgId, PredicateState)> = ids
            .filter_map(|id| state_of(reached, index, id).map(|state| (id, state)))
            .filter(|(_, state)| state.is_abstraction)
            .collect();
        let blocks: Vec<Block> = match predicate.settings.blocks {
            // Nothing was abstracted: the path formula of the target is the one block.
            Blocks::Never => {
                state_of(reached, index, target).map(|state| Block::alone(state.path)).into_iter().collect()
            }
            Blocks::Loops | Blocks::LoopsAndFunctions => {
                abstract_states.iter().filter_map(|(_, state)| predicate.block(state.abstraction)).collect()
            }
        };
        let chain = predicate.chain(&blocks);
        if let Some(counterexample) = predicate.counterexample(&blocks, &chain)? {
            return Ok(Refinement::Feasible(counterexample));
        }
        if predicate.settings.blocks == Blocks::Never {
            reached.prune(target);
            return Ok(Refinement::Refined);
        }
        let plainly = self.rung >= 2;
        let interpolants = predicate.interpolants(&chain, plainly)?;
        let states = &abstract_states[1..];
        match predicate.settings.strategy {
            Strategy::Impact => {
                super::impact::refine(product, index, reached, states, &interpolants)?;
                Ok(Refinement::Refined)
            }
            Strategy::Predicate => {
                self.predicate_refinement(predicate, index, reached, states, &interpolants)
            }
        }
    }
}

impl PredicateRefiner {
    fn predicate_refinement<'a>(
        &mut self,
        predicate: &mut Predicate<'a>,
        index: usize,
        reached: &mut Arg<'a>,
        states: &[(ArgId, PredicateState)],
        interpolants: &[Term],
    ) -> Result<Refinement<Counterexample>, Stop> {
        let whole = self.rung >= 1;
        let new: Vec<(NodeId, Vec<Term>)> = states
            .iter()
            .zip(interpolants)
            .map(|(&(id, _), &interpolant)| {
                (reached.nodes[id].node, predicates(predicate.terms(), interpolant, whole))
            })
            .collect();
        // Pivot: the first state whose abstraction would use more predicates than it did.
        let pivot = states.iter().zip(&new).position(|(&(id, _), (node, predicates))| {
            let mut precision = precision_before(reached, index, id);
            precision.add(*node, predicates)
        });
        if pivot.is_none() && !predicate.is_exact {
            // What was left out of the abstractions may be what is missing: from now on they are exact.
            predicate.is_exact = true;
            if let Some(&(first, _)) = states.first() {
                reached.remove_subtree(first);
            }
            return Ok(Refinement::Refined);
        }
        let Some(pivot) = pivot else {
            self.rung += 1;
            return if self.rung > 2 {
                Err(Stop::GaveUp("the same counterexample came back and nothing new rules it out".to_owned()))
            } else {
                // Tried again on the next rung.
                Ok(Refinement::Refined)
            };
        };
        self.rung = 0;
        let pivot = states[pivot].0;
        let mut precision = PredicatePrecision::default();
        for id in reached.subtree(pivot) {
            precision.join(&precision_of(reached, index, id));
        }
        for (node, predicates) in &new {
            precision.add(*node, predicates);
        }
        for parent in reached.remove_subtree(pivot) {
            let mut joined = precision_of(reached, index, parent);
            joined.join(&precision);
            let mut parts = reached.nodes[parent].precision.to_vec();
            parts[index] = AnyPrecision::Predicate(joined);
            reached.requeue(parent, Rc::from(parts));
        }
        Ok(Refinement::Refined)
    }
}

fn precision_of(reached: &Arg<'_>, index: usize, id: ArgId) -> PredicatePrecision {
    match &reached.nodes[id].precision[index] {
        AnyPrecision::Predicate(precision) => precision.clone(),
        _ => PredicatePrecision::default(),
    }
}

/// The precision with which a state was computed: that of its parent.
fn precision_before(reached: &Arg<'_>, index: usize, id: ArgId) -> PredicatePrecision {
    let parent = reached.nodes[id].parents.first().map(|&(parent, _)| parent);
    precision_of(reached, index, parent.unwrap_or(id))
}

/// The atoms of an interpolant, or all of it as one predicate.
pub(super) fn predicates(terms: &mut Terms, interpolant: Term, whole: bool) -> Vec<Term> {
    match interpolant {
        Terms::TRUE => Vec::new(),
        Terms::FALSE => vec![Terms::FALSE],
        _ if whole => vec![interpolant],
        _ => terms.atoms(interpolant).into_iter().map(|atom| positive(terms, atom)).collect(),
    }
}

/// An atom and its negation are one predicate.
fn positive(terms: &Terms, atom: Term) -> Term {
    match terms.as_app(atom) {
        Some((summa_term::Op::Not, &[inner])) => inner,
        _ => atom,
    }
}

impl Predicate<'_> {
    /// The block that ends with an abstraction, and the invariant where it begins.
    pub(super) fn block(&mut self, end: AbstractionId) -> Option<Block> {
        let (start, path) = self.abstractions[end].block?;
        let node = self.abstractions[start].node;
        Some(Block { known: self.with_invariant(node, Terms::TRUE), path })
    }

    /// Block formulas with SSA versions.
    pub(super) fn chain(&mut self, blocks: &[Block]) -> Chain {
        let mut versions = Ssa::zero(&self.paths.encoder.cells);
        let mut chain = Chain { formulas: Vec::new(), versions: Vec::new() };
        for (i, block) in blocks.iter().enumerate() {
            let instance = self.paths.instantiate(block.path, &versions, i as u32);
            let mut parts = self.paths.entry_facts_of(&[block.known]);
            parts.push(block.known);
            let known = self.terms().and(&parts);
            let known = self.paths.instantiate_term(known, &versions);
            chain.formulas.push(self.terms().and2(known, instance.formula));
            chain.versions.push(instance.exit.clone());
            versions = instance.exit;
        }
        chain
    }

    /// A model of these blocks one behind the other, if there is one.
    pub fn counterexample_of(&mut self, blocks: &[PathId]) -> Result<Option<Counterexample>, Stop> {
        let blocks: Vec<Block> = blocks.iter().map(|&path| Block::alone(path)).collect();
        let chain = self.chain(&blocks);
        self.counterexample(&blocks, &chain)
    }

    /// Interpolants behind each of these blocks, which together must have no model.
    pub fn interpolants_of(&mut self, blocks: &[PathId]) -> Result<Vec<Term>, Stop> {
        let blocks: Vec<Block> = blocks.iter().map(|&path| Block::alone(path)).collect();
        let chain = self.chain(&blocks);
        self.interpolants(&chain, false)
    }

    /// Feasibility check: a model of the counterexample formula, as inputs of a run.
    pub(super) fn counterexample(
        &mut self,
        blocks: &[Block],
        chain: &Chain,
    ) -> Result<Option<Counterexample>, Stop> {
        let model = self.logic.find_model(&mut self.paths.encoder.terms, &chain.formulas)?;
        let Some(model) = model else { return Ok(None) };
        let mut versions = Ssa::zero(&self.paths.encoder.cells);
        let (mut inputs, mut approximations) = (Vec::new(), Vec::new());
        for (i, &Block { path, .. }) in blocks.iter().enumerate() {
            let consumed = self.paths.instantiate_inputs(path, &versions, i as u32);
            let mut evaluator = Evaluator::new(&self.paths.encoder.terms, &model);
            for input in consumed {
                if evaluator.is_true(input.guard) == Some(true) {
                    let value = input.value.chosen(&mut evaluator);
                    inputs.push((input, value));
                }
            }
            approximations.extend(self.paths.approximations(path));
            versions = chain.versions[i].clone();
        }
        Ok(Some(Counterexample { inputs, approximations }))
    }

    /// Interpolants τ₁ … τₙ over the cells in version 0, behind each block.
    pub(super) fn interpolants(&mut self, chain: &Chain, plainly: bool) -> Result<Vec<Term>, Stop> {
        if let Some(light) = self.light_interpolants(&chain.formulas, plainly)?
            && let Some(found) = self.over_cells(light, chain)
        {
            return Ok(found);
        }
        let exact = self.logic.interpolants(&mut self.paths.encoder.terms, &chain.formulas, plainly)?;
        // Only symbols that both sides share occur, and these are the current versions.
        self.over_cells(exact, chain).ok_or_else(|| Stop::GaveUp("an interpolant over old values".to_owned()))
    }

    /// Interpolants in terms of the cells at their place; None if one is about something else.
    fn over_cells(&mut self, raw: Vec<Term>, chain: &Chain) -> Option<Vec<Term>> {
        let behind = raw.into_iter().skip(1).zip(&chain.versions);
        behind.map(|(interpolant, versions)| self.paths.uninstantiate(interpolant, versions)).collect()
    }

    /// Interpolants of the formulas without their hard atoms, if these contradict each other already.
    fn light_interpolants(&mut self, formulas: &[Term], plainly: bool) -> Result<Option<Vec<Term>>, Stop> {
        let light = self.lighten(formulas, &[]);
        let terms = &mut self.paths.encoder.terms;
        if !light.is_lighter() || self.logic.may_be_sat(terms, &light.formulas, LIGHT_TIME)? {
            return Ok(None);
        }
        match self.logic.interpolants(terms, &light.formulas, plainly) {
            Ok(found) => {
                Ok(Some(found.into_iter().map(|interpolant| light.restore(terms, interpolant)).collect()))
            }
            Err(Stop::GaveUp(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// The abstractions behind a first one, up to a last.
    pub(super) fn between(&self, first: AbstractionId, last: AbstractionId) -> Vec<AbstractionId> {
        let mut found = Vec::new();
        let mut at = last;
        while at != first {
            let Some((before, _)) = self.abstractions[at].block else { break };
            found.push(at);
            at = before;
        }
        found.reverse();
        found
    }
}
