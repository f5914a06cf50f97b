//! Blocks for block-abstraction memoization: functions, or functions and loops, with what they depend on and
//! change.
//!
//! Paper: Wonisch, Wehrheim, *Predicate analysis with block-abstraction memoization*, ICFEM 2012; Beyer,
//! Friedberger, *Domain-independent interprocedural program analysis using BAM*, ESEC/FSE 2020.
//!
//! What holds, and is tested:
//! - A block has one entry. Every function is a block, unless it is inlined in its callers (see
//!   [`crate::inlined`]). A loop is one unless it can be entered at several nodes.
//! - Blocks nest: the nodes of a block are among those of its parent.
//! - `referenced` covers every access in the block and in the functions that it calls, through pointers too:
//!   anything else can be left out of the block's analysis and keeps its value.
//! - Everything that the block writes is in `outputs`, unless it is not read afterwards. Everything that the
//!   block reads is in `inputs`, and so is everything that it writes on one path and keeps on another. So the
//!   values of the inputs determine those of the outputs.

use crate::loops::LoopId;
use crate::mod_ref::{Access, Collector};
use crate::{Analyses, inlined};
use summa_base::{IdMap, IdSet, IdVec, define_id};
use summa_c::tree::{FuncId, VarId};
use summa_cfa::{Automaton, Cfa, EdgeId, NodeId, NodeKind, Op};

define_id! {
    BlockId = "b";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Function(FuncId),
    Loop(LoopId),
}

/// How to cut the program into blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partition {
    Functions,
    FunctionsAndLoops,
}

#[derive(Clone, Debug)]
pub struct Block {
    pub kind: BlockKind,
    pub function: FuncId,
    pub entry: NodeId,
    /// In ascending order, with nested blocks and the bodies of inlined functions. An edge belongs to the
    /// block if it leaves one of its nodes. So edges that end the run belong to it, though their `End` nodes
    /// do not.
    pub nodes: Vec<NodeId>,
    /// Where the block is left, ascending: the exit node of a function; of a loop the nodes behind it.
    pub exits: Vec<NodeId>,
    /// The edges that enter the exits from inside.
    pub exit_edges: Vec<EdgeId>,
    /// Calls of functions with an automaton, nested blocks included.
    pub calls: Vec<EdgeId>,
    /// All that is read or written, here or in called functions.
    pub referenced: Access,
    /// All that may be written, here or in called functions.
    pub written: Access,
    /// What the block's effect depends on.
    pub inputs: Access,
    /// What it may write and may be read afterwards, including the result variable of a function.
    pub outputs: Access,
    /// The block around a loop. Functions have none: who calls them is known at run time only.
    pub parent: Option<BlockId>,
    /// Can the analysis of the block meet the block again before it is done?
    pub is_recursive: bool,
}

impl Block {
    pub fn contains(&self, node: NodeId) -> bool {
        self.nodes.binary_search(&node).is_ok()
    }
}

#[derive(Debug)]
pub struct Blocks {
    /// Parents before the blocks nested in them.
    pub blocks: IdVec<BlockId, Block>,
    /// The functions that are no blocks, because they are inlined in their callers.
    pub inlined: IdSet<FuncId>,
    innermost: IdMap<NodeId, Option<BlockId>>,
    entered: IdMap<NodeId, Option<BlockId>>,
}

impl Blocks {
    /// Every function is a block if `inline` is 0. Otherwise a function is part of its callers if it is
    /// called from one place only, or if its copies together have at most this many edges.
    pub fn new(cfa: &Cfa, facts: &Analyses, partition: Partition, inline: u32) -> Self {
        let len = cfa.nodes.len();
        let inlined = inlined::functions(cfa, &facts.calls, &facts.loops, inline);
        let mut all = Self {
            blocks: IdVec::new(),
            inlined: inlined.clone(),
            innermost: IdMap::with_len(len, None),
            entered: IdMap::with_len(len, None),
        };
        let builder = Builder { cfa, facts, inlined };
        for automaton in cfa.defined().filter(|automaton| !builder.inlined.contains(automaton.function)) {
            all.add(builder.function(automaton));
        }
        if partition == Partition::FunctionsAndLoops {
            // Enclosing loops come first, so the innermost block so far is the parent.
            for (id, each) in facts.loops.loops.iter() {
                if let [head] = each.heads[..] {
                    let parent = all.innermost[head];
                    all.add(builder.loop_(id, head, parent));
                }
            }
        }
        all
    }

    fn add(&mut self, block: Block) {
        let id = self.blocks.next_id();
        block.nodes.iter().for_each(|&node| self.innermost[node] = Some(id));
        self.entered[block.entry] = Some(id);
        self.blocks.push(block);
    }

    /// The innermost block around a node.
    pub fn innermost(&self, node: NodeId) -> Option<BlockId> {
        self.innermost[node]
    }

    /// The block that starts at the node.
    pub fn entered_at(&self, node: NodeId) -> Option<BlockId> {
        self.entered[node]
    }

    /// The block and those around it, innermost first.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        std::iter::successors(Some(block), |&id| self.blocks[id].parent)
    }
}

struct Builder<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    inlined: IdSet<FuncId>,
}

impl Builder<'_> {
    fn function(&self, automaton: &Automaton) -> Block {
        let (cfa, facts, function) = (self.cfa, self.facts, automaton.function);
        let nodes: Vec<NodeId> =
            automaton.node_ids().filter(|&node| cfa.nodes[node].kind != NodeKind::End).collect();
        let is_recursive = facts.calls.is_recursive(function);
        let block = self.block(BlockKind::Function(function), function, automaton.entry, nodes);
        let info = &cfa.program.functions[function];
        let own = |var: VarId| cfa.program.vars[var].kind.frame() == Some(function);
        // Pointers may lead a recursive function to variables of an older frame of its own.
        let summary = &facts.mod_refs.of(&facts.calls, function);
        let is_older = |var: VarId| {
            is_recursive && (summary.reads.variables.contains(var) || summary.writes.variables.contains(var))
        };
        let inner = self.taken_in(&block);
        let is_input = |var: VarId| match own(var) {
            _ if inner(var) => false,
            true => info.params.contains(&var) && facts.live.is_live(automaton.entry, var) || is_older(var),
            false => facts.live.is_live(automaton.entry, var),
        };
        let is_output = |var: VarId| match own(var) {
            _ if inner(var) => false,
            true => info.result == Some(var) || is_older(var),
            false => facts.live.is_live(automaton.exit, var),
        };
        Block {
            exits: vec![automaton.exit],
            exit_edges: cfa.entering(automaton.exit).to_vec(),
            inputs: select(&block.referenced, is_input),
            outputs: select(&block.written, is_output),
            is_recursive,
            ..block
        }
    }

    fn loop_(&self, id: LoopId, head: NodeId, parent: Option<BlockId>) -> Block {
        let (cfa, facts, each) = (self.cfa, self.facts, &self.facts.loops.loops[id]);
        let is_end = |edge: EdgeId| cfa.nodes[cfa.edge(edge).to].kind == NodeKind::End;
        let exit_edges: Vec<EdgeId> = each.exits.iter().copied().filter(|&edge| !is_end(edge)).collect();
        let exits: IdSet<NodeId> = exit_edges.iter().map(|&edge| cfa.edge(edge).to).collect();
        let exits: Vec<NodeId> = exits.iter().collect();
        let block = self.block(BlockKind::Loop(id), each.function, head, each.body.clone());
        let group = facts.calls.scc_of(each.function);
        let is_recursive = block.calls.iter().any(|&call| match cfa.edge(call).op {
            Op::Call { callee, .. } => facts.calls.scc_of(callee) == group,
            _ => false,
        });
        let inner = self.taken_in(&block);
        let is_output = |var: VarId| !inner(var) && exits.iter().any(|&exit| facts.live.is_live(exit, var));
        Block {
            inputs: select(&block.referenced, |var| !inner(var) && facts.live.is_live(head, var)),
            outputs: select(&block.written, is_output),
            exits,
            exit_edges,
            parent,
            is_recursive,
            ..block
        }
    }

    /// Is this a variable of a function that is inlined in the block? Such variables exist only inside of the
    /// block.
    fn taken_in(&self, block: &Block) -> impl Fn(VarId) -> bool + use<'_> {
        let functions = block.nodes.iter().map(|&node| self.cfa.nodes[node].function);
        let inner: IdSet<FuncId> = functions.filter(|&function| function != block.function).collect();
        move |var| self.cfa.program.vars[var].kind.frame().is_some_and(|frame| inner.contains(frame))
    }

    /// What functions and loops have in common.
    fn block(&self, kind: BlockKind, function: FuncId, entry: NodeId, nodes: Vec<NodeId>) -> Block {
        let (cfa, facts) = (self.cfa, self.facts);
        let mut collector = Collector::new(cfa, &facts.points_to);
        let nodes = inlined::with_bodies(cfa, &self.inlined, nodes);
        let (mut calls, mut callees) = (Vec::new(), Vec::new());
        for &edge in nodes.iter().flat_map(|&node| cfa.leaving(node)) {
            collector.edge(&facts.effects, edge);
            if let Op::Call { callee, .. } = cfa.edge(edge).op {
                calls.push(edge);
                callees.push(callee);
            }
        }
        let mut all = collector.finish(&|_| true);
        callees.sort_unstable();
        callees.dedup();
        callees.into_iter().for_each(|callee| all.union_with(facts.mod_refs.of(&facts.calls, callee)));
        let mut referenced = all.reads;
        referenced.union_with(&all.writes);
        Block {
            kind,
            function,
            entry,
            nodes,
            exits: Vec::new(),
            exit_edges: Vec::new(),
            calls,
            referenced,
            written: all.writes,
            inputs: Access::default(),
            outputs: Access::default(),
            parent: None,
            is_recursive: false,
        }
    }
}

/// The variables that pass the filter. Classes are kept, since it is unknown when memory is overwritten
/// completely.
fn select(access: &Access, keep: impl Fn(VarId) -> bool) -> Access {
    Access {
        variables: access.variables.iter().filter(|&var| keep(var)).collect(),
        classes: access.classes.clone(),
    }
}
