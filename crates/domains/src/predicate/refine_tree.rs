//! Refinement through blocks: the error path as a tree, in which the blocks behind summaries are branches.
//!
//! Papers: Heizmann, Hoenicke, Podelski, *Nested interpolants*, POPL 2010; Beyer, Friedberger, ESEC/FSE 2020, Section 4. An error path
//! under block-abstraction memoization is a chain of open blocks, and each path formula on it may use summaries. A summary
//! is the abstraction at the exit of a block, whose chain of block formulas is in the table of abstractions. So the formula of
//! the path is a tree: a block formula *without* what its summaries say, below it the block before it and the chains of the
//! blocks that the summaries stand for, joined by equations between the user's values and the block's versions:
//!
//! * the copy c° in the block is the value of c where the block is entered,
//! * the new value of an output is the value of the cell at the exit of the block.
//!
//! Copies and outputs are all that a branch shares with the rest, so its interpolant is a relation: predicates of a summary.
//! A use on one side of a join holds only if that side was taken: the branch is then guarded by the boolean of the
//! use, which is true in its predicates.
//!
//! Limits: a tree unfolds what summaries share; it is not made if it has more than [`MAX_BLOCKS`] blocks.

use super::refine::{Counterexample, LIGHT_TIME, predicates};
use super::{AbstractionId, Predicate, PredicatePrecision, PredicateState};
use summa_base::{FxHashMap, FxHashSet, Id};
use summa_cfa::NodeId;
use summa_cpa::{Move, Refinement, Step, Stop};
use summa_encode::path::{Event, SummaryUse};
use summa_encode::{CellId, Input, PathId, Ssa};
use summa_smt::Model;
use summa_smt::interpolate::{Tree, TreeNode};
use summa_term::{Evaluator, Term, Terms, Value};

/// A block that is open when the target is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFrame {
    /// The state in it at which the next block is entered; the target in the innermost one.
    pub state: PredicateState,
    /// The move into the next block, if that is a function.
    pub call: Option<Move>,
}

/// More blocks than an interpolant was ever found for.
const MAX_BLOCKS: usize = 1000;

/// A block formula on its way into the tree.
#[derive(Clone, Copy, Debug)]
struct Link {
    path: PathId,
    /// What always holds where the block begins, over the cells in version 0.
    known: Term,
    /// Where it ends, if there is an abstraction.
    end: Option<NodeId>,
}

/// A block of the tree.
pub(super) struct Block {
    path: PathId,
    entry: Ssa,
    exit: Ssa,
    instance: u32,
    end: Option<NodeId>,
    formula: Term,
    /// The block before it in its chain, and the last blocks of the chains behind its summaries.
    children: Vec<usize>,
    /// For each summary on the path the chain behind it.
    pub(super) chains: Vec<Vec<usize>>,
}

/// The blocks in post-order, the one with the target last.
#[derive(Default)]
pub(super) struct BlockTree {
    pub(super) blocks: Vec<Block>,
    /// The chain that is not behind a summary.
    pub(super) trunk: Vec<usize>,
    /// The booleans that guard branches.
    guards: Vec<Term>,
}

/// A chain that is being put into the tree.
struct Growing {
    links: Vec<Link>,
    /// Where it begins and where it is now.
    start: Ssa,
    versions: Ssa,
    /// Only if all these hold the chain was taken.
    guards: Vec<Term>,
    made: Vec<usize>,
    open: Option<Open>,
}

impl Growing {
    fn new(links: Vec<Link>, start: Ssa, guards: Vec<Term>) -> Self {
        Self { links, versions: start.clone(), start, guards, made: Vec::new(), open: None }
    }
}

/// A block of which the branches are being made.
struct Open {
    link: Link,
    instance: u32,
    uses: Vec<SummaryUse>,
    branches: Vec<Growing>,
}

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
        let tree = self.block_tree(frames)?;
        let formulas: Vec<Term> = tree.blocks.iter().map(|block| block.formula).collect();
        if let Some(model) = self.logic.find_model(&mut self.paths.encoder.terms, &formulas)? {
            return Ok(Refinement::Feasible(self.inputs_of(&tree, &model)));
        }
        // The ladder: atoms, whole interpolants, the same of interpolants that follow the trace, exact abstractions.
        let mut failure = None;
        for plainly in [false, true] {
            let interpolants = match self.interpolants_of_tree(&tree, &formulas, plainly) {
                Ok(found) => found,
                Err(stop @ Stop::GaveUp(_)) => {
                    failure = Some(stop);
                    continue;
                }
                Err(stop) => return Err(stop),
            };
            for whole in [false, true] {
                if self.add_predicates(&tree, &interpolants, whole, precision) {
                    return Ok(Refinement::Refined);
                }
            }
        }
        if !precision.is_exact {
            (self.is_exact, precision.is_exact) = (true, true);
            return Ok(Refinement::Refined);
        }
        let again = "the same counterexample came back and nothing new rules it out";
        Err(failure.unwrap_or_else(|| Stop::GaveUp(again.to_owned())))
    }

    // ---- the tree ----

    /// The blocks from the first abstraction of a chain to one of it.
    fn links_to(&mut self, end: AbstractionId) -> Result<Vec<Link>, Stop> {
        let (mut links, mut at) = (Vec::new(), end);
        while let Some((before, path)) = self.abstractions[at].block {
            let known = self.with_invariant(self.abstractions[before].node, Terms::TRUE);
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

    /// All open blocks one behind the other.
    fn trunk(&mut self, frames: &[OpenFrame]) -> Result<Vec<Link>, Stop> {
        let mut links = Vec::new();
        for (i, &OpenFrame { state, call }) in frames.iter().enumerate() {
            links.extend(self.links_to(state.abstraction)?);
            check_size(links.len())?;
            let known = self.with_invariant(self.abstractions[state.abstraction].node, Terms::TRUE);
            let next = frames.get(i + 1).map(|next| self.root_of(next.state.abstraction));
            let end = next.map(|root| self.abstractions[root].node);
            let path = match call.map(|by| by.step) {
                Some(Step::Enter(call)) => self.paths.enter(state.path, call),
                _ if self.paths.is_entry(state.path) => continue,
                _ => state.path,
            };
            links.push(Link { path, known, end });
        }
        Ok(links)
    }

    fn block_tree(&mut self, frames: &[OpenFrame]) -> Result<BlockTree, Stop> {
        let mut tree = BlockTree::default();
        let trunk = self.trunk(frames)?;
        let mut chains = vec![Growing::new(trunk, Ssa::zero(&self.paths.encoder.cells), Vec::new())];
        // Blocks, and the entries of branches, have numbers: versions of cells come from them.
        let mut number = 0;
        while let Some(chain) = chains.last_mut() {
            let Some(open) = &mut chain.open else {
                let Some(&link) = chain.links.get(chain.made.len()) else {
                    // The chain is done: a branch of a block below, or all.
                    let Some(done) = chains.pop() else { break };
                    match chains.last_mut().and_then(|below| below.open.as_mut()) {
                        Some(open) => open.branches.push(done),
                        None => tree.trunk = done.made,
                    }
                    continue;
                };
                let uses = self.paths.uses(link.path);
                chain.open = Some(Open { link, instance: number, uses, branches: Vec::new() });
                number += 1;
                check_size(number as usize)?;
                continue;
            };
            if let Some(used) = open.uses.get(open.branches.len()) {
                let mut guards = chain.guards.clone();
                let conjuncts = self.paths.encoder.terms.conjuncts(self.paths.guard(open.link.path));
                if !conjuncts.contains(&used.taken) {
                    let guard = self.paths.rename(&[used.taken], &chain.versions, open.instance);
                    tree.guards.extend(&guard);
                    guards.extend(guard);
                }
                let end = AbstractionId::from_index(used.summary.exit as usize);
                let links = self.links_to(end)?;
                number += 1;
                let start = Ssa::uniform(&self.paths.encoder.cells, number);
                let branch = Growing::new(links, start, guards);
                chains.push(branch);
                continue;
            }
            let Some(open) = chain.open.take() else { continue };
            let block = self.close(&tree, chain, open);
            chain.versions = block.exit.clone();
            chain.made.push(tree.blocks.len());
            tree.blocks.push(block);
        }
        Ok(tree)
    }

    /// The block, joined with its branches.
    fn close(&mut self, tree: &BlockTree, chain: &Growing, open: Open) -> Block {
        let Open { link, instance, uses, branches } = open;
        let entry = chain.versions.clone();
        // Pairs of a symbol of a branch and the term on the path that it equals.
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        for (used, branch) in uses.iter().zip(&branches) {
            self.join_branch(tree, used, branch, &mut pairs);
        }
        let values: Vec<Term> = pairs.iter().map(|&(_, value)| value).collect();
        let linked = self.paths.link(link.path, &entry, instance, &values);
        let mut parts = self.paths.entry_facts_of(&[link.known]);
        parts.push(link.known);
        let known = self.terms().and(&parts);
        let mut parts = vec![self.paths.instantiate_term(known, &entry), linked.formula];
        for (&(symbol, _), value) in pairs.iter().zip(linked.terms) {
            parts.push(self.terms().eq(symbol, value));
        }
        let terms = self.terms();
        let (guard, formula) = (terms.and(&chain.guards), terms.and(&parts));
        let otherwise = terms.not(guard);
        let formula = terms.or2(otherwise, formula);
        let before = chain.made.last().copied();
        let children =
            before.into_iter().chain(branches.iter().filter_map(|branch| branch.made.last().copied()));
        Block {
            path: link.path,
            exit: linked.exit,
            instance,
            end: link.end,
            formula,
            children: children.collect(),
            chains: branches.into_iter().map(|branch| branch.made).collect(),
            entry,
        }
    }

    /// What a branch shares with the path that uses it: copies of inputs, outputs; and what it reads though it is no
    /// input (before it is written it holds anything, so nobody should).
    fn join_branch(
        &mut self,
        tree: &BlockTree,
        used: &SummaryUse,
        branch: &Growing,
        pairs: &mut Vec<(Term, Term)>,
    ) {
        // The first block writes the copies.
        let copied = branch.made.first().map_or(&branch.start, |&first| &tree.blocks[first].exit);
        for &input in &used.inputs {
            if let Some(copy) = self.paths.encoder.cells.entry_copy(input) {
                pairs.push((self.symbol(copy, copied), used.entry.get(input)));
            }
        }
        let mut seen: FxHashSet<CellId> = used.inputs.iter().copied().collect();
        let mut direct: Vec<CellId> = Vec::new();
        let encoder = &self.paths.encoder;
        for &block in &branch.made {
            for symbol in encoder.terms.free_symbols(tree.blocks[block].formula) {
                let found = encoder.terms.as_symbol(symbol);
                let cell = found.and_then(|(family, _)| encoder.cells.of_symbol(family));
                if let (Some(cell), Some((_, version))) = (cell, found)
                    && version == branch.start.get(cell)
                    && encoder.cells.original(cell).is_none()
                    && seen.insert(cell)
                {
                    direct.push(cell);
                }
            }
        }
        for &(output, value) in &used.outputs {
            pairs.push((self.symbol(output, &branch.versions), value));
            if branch.versions.get(output) == branch.start.get(output) && seen.insert(output) {
                direct.push(output);
            }
        }
        direct.sort_unstable();
        for cell in direct {
            pairs.push((self.symbol(cell, &branch.start), used.entry.get(cell)));
        }
    }

    fn symbol(&mut self, cell: CellId, versions: &Ssa) -> Term {
        let symbol = self.paths.encoder.cells.cells[cell].symbol;
        self.terms().symbol(symbol, versions.get(cell))
    }

    // ---- what it says ----

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

impl BlockTree {
    /// With these formulas, as a problem of interpolation.
    fn with(&self, formulas: &[Term]) -> Result<Tree, Stop> {
        let nodes = self.blocks.iter().zip(formulas);
        let nodes = nodes.map(|(block, &formula)| TreeNode { formula, children: block.children.clone() });
        Tree::new(nodes.collect()).ok_or_else(|| Stop::GaveUp("the blocks of a path are no tree".to_owned()))
    }
}

fn check_size(blocks: usize) -> Result<(), Stop> {
    if blocks > MAX_BLOCKS {
        return Err(Stop::GaveUp(format!("an error path of more than {MAX_BLOCKS} blocks")));
    }
    Ok(())
}
