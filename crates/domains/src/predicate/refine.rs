//! refine_P: is the error path feasible, and if not, what rules it out?
//!
//! Paper: Section 3.2. The abstract counterexample ⟨e₀, …, eₙ⟩ is the chain of abstraction states; its block
//! formulas are in the table of abstractions. If their conjunction has a model, the path is feasible.
//! Otherwise inductive interpolants τᵢ go into the precision (below) or into the states (`impact`).
//!
//! *Predicate refinement*: the atoms of τᵢ become predicates at lᵢ. The pivot is the first state with a new
//! predicate. Its subtree is removed, together with what it covered, and explored again with the joined
//! precisions of the whole subtree. If a path comes back without a new predicate, stronger measures follow:
//! whole interpolants as predicates, interpolants that follow the trace, and at last giving up.

use super::{AbstractionId, Blocks, Predicate, PredicatePrecision, PredicateState, Strategy};
use crate::registry::{AnyPrecision, AnyState, Domain};
use std::rc::Rc;
use summa_cfa::NodeId;
use summa_cpa::{ArgId, Product, Reached, Refinement, Refiner, Stop};
use summa_logic::{Block, Counterexample};
use summa_term::{Term, Terms};

#[derive(Debug, Default)]
pub struct PredicateRefiner {
    /// The current measure for counterexamples that come back.
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
        let chain = predicate.logic.chain(&blocks);
        if let Some(counterexample) = predicate.logic.counterexample(&blocks, &chain)? {
            return Ok(Refinement::Feasible(counterexample));
        }
        if predicate.settings.blocks == Blocks::Never {
            reached.prune(target);
            return Ok(Refinement::Refined);
        }
        let plainly = self.rung >= 2;
        let interpolants = predicate.logic.interpolants(&chain, plainly)?;
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
                (reached.nodes[id].node, predicates(predicate.logic.terms(), interpolant, whole))
            })
            .collect();
        // Pivot: the first state whose abstraction would use more predicates than it did.
        let pivot = states.iter().zip(&new).position(|(&(id, _), (node, predicates))| {
            let mut precision = precision_before(reached, index, id);
            precision.add(*node, predicates)
        });
        if pivot.is_none() && !predicate.is_exact {
            // What the abstractions left out may be what is missing. From now on they are exact.
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
