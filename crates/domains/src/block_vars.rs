//! The variables that a block reads and writes, for domains over variables. Reduce, expand and the key use
//! the same answer, so that one operator gives back exactly what another takes away.
//!
//! A variable counts if the block names it, or if it is in a class of memory to which the block's pointers
//! can lead.
//!
//! *Names and activations.* A name means the variable of the running activation. Accesses of the block's
//! callees to variables of their own frames are not included, and need not be. After the block these frames
//! are gone. If an older activation of such a callee waits below the block, its variables are meant before
//! and after the block, and they are not changed: domains over variables know nothing about variables of
//! recursive functions whose address is taken.

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
    /// Variables that are not in here have the same value after the block.
    pub(crate) written: IdSet<VarId>,
    /// Inputs that stay as they are.
    pub(crate) constant: Vec<VarId>,
    /// Inputs that are not read after the block.
    pub(crate) done: Vec<VarId>,
    /// All that the block's own moves name, parameters and results of its callees included.
    pub(crate) named: IdSet<VarId>,
    /// The locations to which the block's own moves lead: its locations, those after it, and the entries of
    /// its callees.
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
