//! Who calls whom, what is recursive, and an order in which callees come before their callers.
//!
//! Calls through pointers have become call edges of their candidates, so the graph is complete. Only calls of
//! functions with an automaton count; library and external functions call nothing back.

use summa_base::graph::{reachable, sccs};
use summa_base::{Csr, IdMap, IdSet};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, Op};

#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Csr<FuncId, FuncId>,
    callers: Csr<FuncId, FuncId>,
    sites_in: Csr<FuncId, EdgeId>,
    sites_of: Csr<FuncId, EdgeId>,
    /// Groups of functions that call each other, callees first; functions without an automaton are left out.
    pub sccs: Vec<Vec<FuncId>>,
    scc_of: IdMap<FuncId, u32>,
    /// Functions that can call themselves, directly or not.
    pub recursive: IdSet<FuncId>,
    /// Functions that a run may enter.
    pub reachable: IdSet<FuncId>,
}

impl CallGraph {
    pub fn new(cfa: &Cfa) -> Self {
        let len = cfa.program.functions.len();
        let calls: Vec<(FuncId, FuncId, EdgeId)> = cfa
            .edges
            .iter()
            .filter_map(|(id, edge)| match edge.op {
                Op::Call { callee, .. } => Some((cfa.nodes[edge.from].function, callee, id)),
                _ => None,
            })
            .collect();
        let mut pairs: Vec<(FuncId, FuncId)> =
            calls.iter().map(|&(caller, callee, _)| (caller, callee)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let callees = Csr::new(len, pairs.iter().copied());
        let callers = Csr::new(len, pairs.iter().map(|&(caller, callee)| (callee, caller)));
        let components = sccs(cfa.defined().map(|automaton| automaton.function), |f| &callees[f]);
        let mut scc_of = IdMap::with_len(len, u32::MAX);
        let mut recursive = IdSet::new();
        for (number, component) in components.iter().enumerate() {
            component.iter().for_each(|&function| scc_of[function] = number as u32);
            match component[..] {
                [function] if !callees[function].contains(&function) => {}
                _ => recursive.extend(component.iter().copied()),
            }
        }
        Self {
            reachable: reachable([cfa.start], |f| &callees[f]),
            sites_in: Csr::new(len, calls.iter().map(|&(caller, _, edge)| (caller, edge))),
            sites_of: Csr::new(len, calls.iter().map(|&(_, callee, edge)| (callee, edge))),
            callees,
            callers,
            sccs: components,
            scc_of,
            recursive,
        }
    }

    /// The functions that `function` calls, each once, ascending.
    pub fn callees(&self, function: FuncId) -> &[FuncId] {
        &self.callees[function]
    }

    /// The functions that a run of this one can be in, itself included.
    pub fn below(&self, function: FuncId) -> IdSet<FuncId> {
        reachable([function], |function| self.callees(function))
    }

    /// The functions that call `function`, each once, ascending.
    pub fn callers(&self, function: FuncId) -> &[FuncId] {
        &self.callers[function]
    }

    /// The call edges inside `function`.
    pub fn call_sites_in(&self, function: FuncId) -> &[EdgeId] {
        &self.sites_in[function]
    }

    /// The call edges that call `function`.
    pub fn call_sites_of(&self, function: FuncId) -> &[EdgeId] {
        &self.sites_of[function]
    }

    /// The number of the group in [`CallGraph::sccs`]; None without an automaton.
    pub fn scc_of(&self, function: FuncId) -> Option<usize> {
        let number = self.scc_of[function];
        (number != u32::MAX).then_some(number as usize)
    }

    pub fn is_recursive(&self, function: FuncId) -> bool {
        self.recursive.contains(function)
    }

    /// All functions with an automaton, callees before callers save within recursive groups.
    pub fn callees_first(&self) -> impl DoubleEndedIterator<Item = FuncId> + '_ {
        self.sccs.iter().flatten().copied()
    }
}
