//! Names that mean one thing in a program, and the same thing in a program that was changed elsewhere: what
//! data that outlives a run calls functions, variables, locations and edges.
//!
//! A variable is named after its function and itself; where that is not enough, the one that is declared
//! first has the plain name and the others are counted. Locations and edges are counted within their
//! function.

use crate::cfa::{Cfa, EdgeId, NodeId};
use std::collections::hash_map::Entry;
use summa_base::{FxHashMap, Id, IdVec};
use summa_c::tree::{FuncId, Program, VarId};

#[derive(Debug)]
pub struct Names {
    functions: Unique<FuncId>,
    variables: Unique<VarId>,
}

/// A name for each of some things, and back.
#[derive(Debug)]
struct Unique<I: Id> {
    names: IdVec<I, String>,
    by_name: FxHashMap<String, I>,
}

impl<I: Id> Unique<I> {
    fn new(wanted: impl Iterator<Item = (I, String)>) -> Self {
        let mut all = Self { names: IdVec::new(), by_name: FxHashMap::default() };
        let mut counts: FxHashMap<String, u32> = FxHashMap::default();
        for (id, wanted) in wanted {
            let count = counts.entry(wanted.clone()).or_default();
            let name = loop {
                let name = if *count == 0 { wanted.clone() } else { format!("{wanted}#{count}") };
                *count += 1;
                if let Entry::Vacant(free) = all.by_name.entry(name.clone()) {
                    free.insert(id);
                    break name;
                }
            };
            all.names.push(name);
        }
        all
    }
}

impl Names {
    pub(crate) fn new(program: &Program) -> Self {
        let functions = Unique::new(program.functions.ids().map(|id| (id, program.func_name(id).to_owned())));
        let variable = |id: VarId| match program.vars[id].kind.frame() {
            Some(function) => format!("{}::{}", functions.names[function], program.var_name(id)),
            None => program.var_name(id).to_owned(),
        };
        let variables = Unique::new(program.vars.ids().map(|id| (id, variable(id))));
        Self { functions, variables }
    }

    pub fn function(&self, function: FuncId) -> &str {
        &self.functions.names[function]
    }

    pub fn variable(&self, variable: VarId) -> &str {
        &self.variables.names[variable]
    }

    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        self.functions.by_name.get(name).copied()
    }

    pub fn find_variable(&self, name: &str) -> Option<VarId> {
        self.variables.by_name.get(name).copied()
    }
}

impl Cfa {
    /// Made when first asked for.
    pub fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::new(&self.program))
    }

    /// The function of a location, and the location's number there.
    pub fn place_of_node(&self, node: NodeId) -> (FuncId, u32) {
        let function = self.nodes[node].function;
        let first = self.automaton(function).map_or(0, |automaton| automaton.nodes.start);
        (function, node.index() as u32 - first)
    }

    pub fn node_at(&self, function: FuncId, number: u32) -> Option<NodeId> {
        let nodes = &self.automaton(function)?.nodes;
        let index = nodes.start.checked_add(number).filter(|index| nodes.contains(index))?;
        Some(NodeId::from_index(index as usize))
    }

    /// The function of an edge, and the edge's number there.
    pub fn place_of_edge(&self, edge: EdgeId) -> (FuncId, u32) {
        let function = self.nodes[self.edges[edge].from].function;
        let first = self.automaton(function).map_or(0, |automaton| automaton.edges.start);
        (function, edge.index() as u32 - first)
    }

    pub fn edge_at(&self, function: FuncId, number: u32) -> Option<EdgeId> {
        let edges = &self.automaton(function)?.edges;
        let index = edges.start.checked_add(number).filter(|index| edges.contains(index))?;
        Some(EdgeId::from_index(index as usize))
    }
}
