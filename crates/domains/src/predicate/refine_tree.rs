//! Refinement through blocks: summaries are unfolded as far as the error path needs it.
//!
//! An error path under block-abstraction memoization is a chain of open blocks, and each path formula on it
//! may use summaries. A summary is the abstraction at the exit of a block, whose chain of block formulas is
//! in the table of abstractions. So the formula of an error path is a tree of blocks ([`summa_logic::tree`]),
//! and tree interpolants at the exits of blocks are the predicates of their summaries.
//!
//! Papers: Heizmann, Hoenicke, Podelski, *Nested interpolants*, POPL 2010; Beyer, Friedberger, ESEC/FSE 2020,
//! Section 4; Lal, Qadeer, Lahiri, *A solver for reachability modulo theories*, CAV 2012 (unfolding by need).
//!
//! At first every summary on the path is a fact. If the facts are contradictory already, the blocks behind
//! the summaries do not matter, and the interpolants of the open blocks rule the path out. Otherwise a model
//! tells through which summaries the execution would lead. Those nearest to the error are unfolded, each time
//! twice as many and twice as deep, until there is a contradiction or the whole execution is unfolded. A
//! summary whose fact is enough is never unfolded. So paths through different exits of a function are joined,
//! except where the function recurs: there each exit has exits of the same function behind it, and the tree
//! of all of them would be infinite.

use super::refine::predicates;
use super::{Abstraction, AbstractionId, Predicate, PredicatePrecision, PredicateState};
use summa_base::{Id, IdVec, Unanswered};
use summa_cfa::NodeId;
use summa_cpa::{Move, Refinement, Step, Stop};
use summa_logic::tree::check_size;
use summa_logic::{BlockTree, Counterexample, Invariants, Link, Place, Summaries, Unfolding};
use summa_term::{Term, Terms};

/// A block that is open when the target is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFrame {
    /// The state in it at which the next block is entered; the target in the innermost one.
    pub state: PredicateState,
    /// The move into the next block, if that is a function.
    pub call: Option<Move>,
}

/// The table of abstractions with the invariants at their places: chains of blocks are read off it.
struct Table<'t> {
    abstractions: &'t IdVec<AbstractionId, Abstraction>,
    invariants: &'t Invariants,
}

impl Table<'_> {
    fn known_at(&self, node: NodeId) -> Term {
        self.invariants.get(&node).copied().unwrap_or(Terms::TRUE)
    }

    /// The blocks from the first abstraction of a chain to one of it.
    fn links_to(&self, end: AbstractionId) -> Result<Vec<Link>, Unanswered> {
        let (mut links, mut at) = (Vec::new(), end);
        while let Some((before, path)) = self.abstractions[at].block {
            let known = self.known_at(self.abstractions[before].node);
            links.push(Link { path, known, end: Some(self.abstractions[at].node) });
            at = before;
            check_size(links.len())?;
        }
        links.reverse();
        Ok(links)
    }

    /// The first abstraction of the chain of one.
    fn root_of(&self, mut at: AbstractionId) -> AbstractionId {
        while let Some((before, _)) = self.abstractions[at].block {
            at = before;
        }
        at
    }
}

/// A summary is the abstraction at the exit of a block.
impl Summaries for Table<'_> {
    fn blocks_behind(&self, exit: u32) -> Result<Vec<Link>, Unanswered> {
        self.links_to(AbstractionId::from_index(exit as usize))
    }
}

impl Predicate<'_> {
    /// Is the path to a target feasible? If not, predicates that rule it out are added to the precision.
    ///
    /// # Errors
    /// The path is too long, there is no answer, or nothing new rules it out.
    pub fn refine_through_blocks(
        &mut self,
        frames: &[OpenFrame],
        precision: &mut PredicatePrecision,
    ) -> Result<Refinement<Counterexample>, Stop> {
        self.counters.refinements += 1;
        let (mut unfolding, mut step) = (Unfolding::default(), 1);
        loop {
            let tree = self.tree_of(frames, &mut unfolding)?;
            let formulas: Vec<Term> = tree.blocks.iter().map(|block| block.formula).collect();
            let folded = match self.logic.find_model(&formulas)? {
                Some(model) => {
                    let taken = self.logic.folded_on(&tree, &model);
                    if taken.is_empty() {
                        return Ok(Refinement::Feasible(self.logic.inputs_of(&tree, &model)));
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
                    // The facts are not enough: the blocks behind them may add something new.
                    folded
                }
            };
            for &place in folded.iter().rev().take(step) {
                unfolding.unfold(place, step as u32);
            }
            step *= 2;
        }
    }

    /// The tree of a path through open blocks.
    fn tree_of(&mut self, frames: &[OpenFrame], unfolding: &mut Unfolding) -> Result<BlockTree, Stop> {
        let table = Table { abstractions: &self.abstractions, invariants: &self.invariants };
        // All open blocks in sequence.
        let mut trunk = Vec::new();
        for (i, &OpenFrame { state, call }) in frames.iter().enumerate() {
            trunk.extend(table.links_to(state.abstraction)?);
            check_size(trunk.len())?;
            let known = table.known_at(self.abstractions[state.abstraction].node);
            let next = frames.get(i + 1).map(|next| table.root_of(next.state.abstraction));
            let end = next.map(|root| self.abstractions[root].node);
            let path = match call.map(|by| by.step) {
                Some(Step::Enter(call)) => self.logic.paths.enter(state.path, call),
                _ if self.logic.paths.is_entry(state.path) => continue,
                _ => state.path,
            };
            trunk.push(Link { path, known, end });
        }
        Ok(self.logic.block_tree(trunk, &table, unfolding)?)
    }

    /// Adds predicates that rule the path out, or returns why nothing new does. The measures in order: atoms,
    /// whole interpolants, the same for interpolants that follow the trace.
    fn rule_out(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        precision: &mut PredicatePrecision,
    ) -> Result<Option<Stop>, Stop> {
        let mut failure = None;
        for plainly in [false, true] {
            let interpolants = match self.logic.interpolants_of_tree(tree, formulas, plainly) {
                Ok(found) => found,
                Err(gave_up @ Unanswered::GaveUp(_)) => {
                    failure = Some(gave_up.into());
                    continue;
                }
                Err(over) => return Err(over.into()),
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
            // A formula about other values than those at the end of the block cannot be used there.
            if let Some(interpolant) = self.logic.paths.uninstantiate(interpolant, &block.exit) {
                is_new |= precision.add(node, &predicates(self.logic.terms(), interpolant, whole));
            }
        }
        is_new
    }
}
