//! Trees of blocks: a path in which the blocks behind summaries are branches.
//!
//! Papers: Heizmann, Hoenicke, Podelski, *Nested interpolants*, POPL 2010; Beyer, Friedberger, ESEC/FSE 2020,
//! Section 4. A path formula may use summaries, and each summary stands for a chain of blocks ([`Summaries`]
//! knows the chain). So the formula of a path is a tree. A node is a block formula *without* its summaries.
//! Its children are the block before it, and the chains of blocks behind its summaries. Equations join the
//! user's values with the block's versions:
//!
//! * the copy c° in the block is the value of c where the block is entered,
//! * the new value of an output is the value of the cell at the exit of the block.
//!
//! A branch shares only copies and outputs with the rest, so its interpolant is a relation: the predicates of
//! a summary. A use on one side of a join holds only if that side was taken. The branch is then guarded by
//! the boolean of the use, and this boolean is true in its predicates.
//!
//! Only the uses in an [`Unfolding`] become branches. The others stay facts.
//!
//! Limits: a tree unfolds what summaries share; it is not made if it has more than [`MAX_BLOCKS`] blocks.

use crate::workbench::Workbench;
use summa_base::{FxHashMap, FxHashSet, Unanswered};
use summa_cfa::NodeId;
use summa_encode::path::SummaryUse;
use summa_encode::{CellId, PathId, Ssa};
use summa_smt::interpolate::{Tree, TreeNode};
use summa_term::Term;

/// More blocks than an interpolant was ever found for.
const MAX_BLOCKS: usize = 1000;

/// A use of a summary in the tree: the chain it is on, which block of the chain and which use of the block.
/// The trunk is the chain 0.
pub type Place = u32;
const TRUNK: Place = 0;

/// The uses of summaries that are replaced by the blocks themselves.
#[derive(Default)]
pub struct Unfolding {
    places: FxHashMap<(Place, u32, u32), Place>,
    /// With the number of levels below that are unfolded as well.
    levels: FxHashMap<Place, u32>,
}

impl Unfolding {
    pub fn unfold(&mut self, place: Place, levels: u32) {
        self.levels.insert(place, levels);
    }

    /// The use, and is it unfolded?
    fn use_at(&mut self, chain: Place, block: usize, index: usize) -> (Place, bool) {
        let next = self.places.len() as Place + 1;
        let place = *self.places.entry((chain, block as u32, index as u32)).or_insert(next);
        if let Some(&levels) = self.levels.get(&chain).filter(|&&levels| levels > 1) {
            self.levels.entry(place).or_insert(levels - 1);
        }
        (place, self.levels.contains_key(&place))
    }
}

/// A block formula on its way into the tree.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub path: PathId,
    /// What always holds where the block begins, over the cells in version 0.
    pub known: Term,
    /// Where it ends, if an interpolant is wanted there.
    pub end: Option<NodeId>,
}

/// What summaries stand for.
pub trait Summaries {
    /// The blocks from the entry of a summarised block to an exit, which has the number that
    /// [`summa_encode::Summary::exit`] gives to it.
    ///
    /// # Errors
    /// There are too many.
    fn blocks_behind(&self, exit: u32) -> Result<Vec<Link>, Unanswered>;
}

/// A block of the tree.
pub struct TreeBlock {
    pub(crate) path: PathId,
    pub(crate) entry: Ssa,
    pub exit: Ssa,
    pub(crate) instance: u32,
    pub end: Option<NodeId>,
    pub formula: Term,
    /// The block before it in its chain, and the last blocks of the chains behind its summaries.
    children: Vec<usize>,
    /// For each summary on the path the chain behind it; none if it is not unfolded.
    pub(crate) chains: Vec<Vec<usize>>,
    /// The summaries that are not unfolded, and when they are on the way.
    pub(crate) folded: Vec<(Place, Term)>,
}

/// The blocks in post-order, the one with the target last.
#[derive(Default)]
pub struct BlockTree {
    pub blocks: Vec<TreeBlock>,
    /// The chain that is not behind a summary.
    pub(crate) trunk: Vec<usize>,
    /// The booleans that guard branches.
    pub(crate) guards: Vec<Term>,
}

/// A chain that is being put into the tree.
struct Growing {
    place: Place,
    links: Vec<Link>,
    /// Where it begins and where it is now.
    start: Ssa,
    versions: Ssa,
    /// The chain was taken only if all these hold.
    guards: Vec<Term>,
    made: Vec<usize>,
    open: Option<Open>,
}

impl Growing {
    fn new(place: Place, links: Vec<Link>, start: Ssa, guards: Vec<Term>) -> Self {
        Self { place, links, versions: start.clone(), start, guards, made: Vec::new(), open: None }
    }
}

/// A block whose branches are being made.
struct Open {
    link: Link,
    instance: u32,
    uses: Vec<SummaryUse>,
    branches: Vec<Branch>,
}

/// What is in the place of a summary.
enum Branch {
    Unfolded(Growing),
    Folded(Place),
}

impl Workbench<'_> {
    /// The tree of a path whose open blocks are `trunk`, unfolded as far as `unfolding` says.
    ///
    /// # Errors
    /// There are too many blocks.
    pub fn block_tree(
        &mut self,
        trunk: Vec<Link>,
        summaries: &dyn Summaries,
        unfolding: &mut Unfolding,
    ) -> Result<BlockTree, Unanswered> {
        let mut tree = BlockTree::default();
        let mut chains = vec![Growing::new(TRUNK, trunk, Ssa::zero(&self.paths.encoder.cells), Vec::new())];
        // Blocks, and the entries of branches, have numbers: versions of cells come from them.
        let mut number = 0;
        while let Some(chain) = chains.last_mut() {
            let Some(open) = &mut chain.open else {
                let Some(&link) = chain.links.get(chain.made.len()) else {
                    // The chain is done: a branch of a block below, or all.
                    let Some(done) = chains.pop() else { break };
                    match chains.last_mut().and_then(|below| below.open.as_mut()) {
                        Some(open) => open.branches.push(Branch::Unfolded(done)),
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
            let index = open.branches.len();
            if let Some(used) = open.uses.get(index) {
                let (place, is_unfolded) = unfolding.use_at(chain.place, chain.made.len(), index);
                if !is_unfolded {
                    open.branches.push(Branch::Folded(place));
                    continue;
                }
                let mut guards = chain.guards.clone();
                let conjuncts = self.paths.encoder.terms.conjuncts(self.paths.guard(open.link.path));
                if !conjuncts.contains(&used.taken) {
                    let guard = self.paths.rename(&[used.taken], &chain.versions, open.instance);
                    tree.guards.extend(&guard);
                    guards.extend(guard);
                }
                let links = summaries.blocks_behind(used.summary.exit)?;
                number += 1;
                let start = Ssa::uniform(&self.paths.encoder.cells, number);
                chains.push(Growing::new(place, links, start, guards));
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
    fn close(&mut self, tree: &BlockTree, chain: &Growing, open: Open) -> TreeBlock {
        let Open { link, instance, uses, branches } = open;
        let entry = chain.versions.clone();
        // Pairs of a symbol of a branch and the term on the path that it equals.
        let mut pairs: Vec<(Term, Term)> = Vec::new();
        let (mut told, mut folded) = (Vec::new(), Vec::new());
        for (used, branch) in uses.iter().zip(&branches) {
            match branch {
                Branch::Unfolded(branch) => self.join_branch(tree, used, branch, &mut pairs),
                Branch::Folded(place) => {
                    told.push(used.fact);
                    folded.push((*place, used.guard));
                }
            }
        }
        let mut values: Vec<Term> = pairs.iter().map(|&(_, value)| value).collect();
        values.extend(told);
        let linked = self.paths.link(link.path, &entry, instance, &values);
        let mut parts = vec![self.known_at(link.known, &entry), linked.formula];
        let (equal, told) = linked.terms.split_at(pairs.len());
        for (&(symbol, _), &value) in pairs.iter().zip(equal) {
            parts.push(self.terms().eq(symbol, value));
        }
        parts.extend(told);
        for (_, guard) in &mut folded {
            let here = self.paths.rename(&[*guard], &entry, instance)[0];
            let mut all = chain.guards.clone();
            all.push(here);
            *guard = self.terms().and(&all);
        }
        let terms = self.terms();
        let (guard, formula) = (terms.and(&chain.guards), terms.and(&parts));
        let otherwise = terms.not(guard);
        let formula = terms.or2(otherwise, formula);
        let before = chain.made.last().copied();
        let chains: Vec<Vec<usize>> = branches
            .into_iter()
            .map(|branch| match branch {
                Branch::Unfolded(branch) => branch.made,
                Branch::Folded(_) => Vec::new(),
            })
            .collect();
        let children = before.into_iter().chain(chains.iter().filter_map(|chain| chain.last().copied()));
        TreeBlock {
            path: link.path,
            exit: linked.exit,
            instance,
            end: link.end,
            formula,
            children: children.collect(),
            chains,
            folded,
            entry,
        }
    }

    /// What a branch shares with the path that uses it: copies of inputs, outputs, and cells that the branch
    /// reads although they are no inputs. (Such a cell holds any value before it is written, so it should not
    /// be read.)
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
}

impl BlockTree {
    /// The summaries that are not unfolded, and when they are on the way.
    pub fn folded(&self) -> impl Iterator<Item = (Place, Term)> {
        self.blocks.iter().flat_map(|block| block.folded.iter().copied())
    }

    /// With these formulas, as a problem of interpolation.
    pub(crate) fn with(&self, formulas: &[Term]) -> Result<Tree, Unanswered> {
        let nodes = self.blocks.iter().zip(formulas);
        let nodes = nodes.map(|(block, &formula)| TreeNode { formula, children: block.children.clone() });
        Tree::new(nodes.collect())
            .ok_or_else(|| Unanswered::GaveUp("the blocks of a path are no tree".to_owned()))
    }
}

/// # Errors
/// Refuses a tree with too many blocks.
pub fn check_size(blocks: usize) -> Result<(), Unanswered> {
    if blocks > MAX_BLOCKS {
        return Err(Unanswered::GaveUp(format!("an error path of more than {MAX_BLOCKS} blocks")));
    }
    Ok(())
}
