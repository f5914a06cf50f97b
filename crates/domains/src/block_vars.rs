//! The variables that a block reads and writes, as the operators of domains over variables need them: one
//! answer for reduce, expand and the key, so that what one takes away is just what another gives back.
//!
//! A variable counts if the block names it, or if it lies in a class of memory that the block's pointers can
//! lead to.
//!
//! Names and activations: a name means the variable of the running activation. What a block's callees do to
//! variables of their own frames is not among its accesses, and need not be: their frames are gone behind the
//! block, or, where an older activation of such a callee waits below the block, it is that one's variables
//! that are meant before and behind, and nobody touched them (domains over variables know nothing about
//! variables of recursive functions whose address is taken).

use std::rc::Rc;
use summa_base::{FxHashMap, IdSet};
use summa_c::tree::VarId;
use summa_cfa::{Cfa, NodeId, Op};
use summa_facts::Analyses;
use summa_facts::blocks::{Block, BlockKind};
use summa_facts::mod_ref::Access;

#[derive(Debug)]
pub(crate) struct BlockVars {
    /// What the block's effect depends on.
    pub(crate) inputs: IdSet<VarId>,
    /// What is not in here is the same behind the block.
    pub(crate) written: IdSet<VarId>,
    /// Inputs that stay as they are.
    pub(crate) constant: Vec<VarId>,
    /// Inputs that nobody reads behind the block.
    pub(crate) done: Vec<VarId>,
    /// All that the block's own moves name, parameters and results of its callees included.
    pub(crate) named: IdSet<VarId>,
    /// Where the block's own moves lead: its locations, those behind it, the entries of its callees.
    pub(crate) nodes: IdSet<NodeId>,
}

/// By block; each is computed once.
pub(crate) struct AllBlockVars<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    /// Blocks have different entries, but that a loop may begin where its function does.
    known: FxHashMap<(NodeId, bool), Rc<BlockVars>>,
}

impl<'a> AllBlockVars<'a> {
    pub(crate) fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        Self { cfa, facts, known: FxHashMap::default() }
    }

    pub(crate) fn of(&mut self, block: &Block) -> Rc<BlockVars> {
        let key = (block.entry, matches!(block.kind, BlockKind::Loop(_)));
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let found = Rc::new(self.find(block));
        self.known.insert(key, found.clone());
        found
    }

    fn find(&self, block: &Block) -> BlockVars {
        let program = &self.cfa.program;
        let (inputs, written) = (self.variables(&block.inputs), self.variables(&block.written));
        let mut named = self.variables(&block.referenced);
        let mut nodes: IdSet<NodeId> = block.nodes.iter().chain(&block.exits).copied().collect();
        for &call in &block.calls {
            let Op::Call { callee, .. } = self.cfa.edges[call].op else { continue };
            let function = &program.functions[callee];
            named.extend(function.params.iter().copied().chain(function.result));
            nodes.extend(self.cfa.automaton(callee).map(|automaton| automaton.entry));
        }
        let constant = inputs.iter().filter(|&var| !written.contains(var)).collect();
        let is_live = |var: VarId| block.exits.iter().any(|&exit| self.facts.live.is_live(exit, var));
        let done = inputs.iter().filter(|&var| !is_live(var)).collect();
        BlockVars { inputs, written, constant, done, named, nodes }
    }

    fn variables(&self, access: &Access) -> IdSet<VarId> {
        let mut all = access.variables.clone();
        for class in access.classes.iter() {
            all.extend(self.facts.points_to.variables(class).iter().copied());
        }
        all
    }
}
