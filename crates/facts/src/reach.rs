//! From where an error can still be reached, going backwards through calls and returns: what is outside may
//! be pruned.
//!
//! There are two sets, so that callers are not mixed up (after the two phases of interprocedural slicing).
//! *within*: nodes from which a target is reachable in the same function or its callees, before the function
//! returns. *ahead*: these, and nodes from which the function may return to a call after which a target is
//! reachable. Both over-approximate: conditions are ignored, and a function returns to any of its callers.
//!
//! Paper: Horwitz, Reps, Binkley, *Interprocedural slicing using dependence graphs*, TOPLAS 1990.

use crate::call_graph::CallGraph;
use summa_base::{IdMap, IdSet};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, Edge, EdgeId, NodeId, Op};

#[derive(Clone, Debug)]
pub struct Reach {
    targets: IdSet<EdgeId>,
    within: IdSet<NodeId>,
    ahead: IdSet<NodeId>,
    /// Functions with a path from the entry to the exit.
    returning: IdSet<FuncId>,
}

/// The targets of a search for errors: errors, and what Summa does not understand, which must not be pruned
/// away.
pub fn is_error_or_unsupported(edge: &Edge) -> bool {
    matches!(edge.op, Op::Error { .. } | Op::Unsupported { .. })
}

impl Reach {
    pub fn new(cfa: &Cfa, calls: &CallGraph, is_target: impl Fn(&Edge) -> bool) -> Self {
        let targets: IdSet<EdgeId> =
            cfa.edges.iter().filter(|(_, edge)| is_target(edge)).map(|(id, _)| id).collect();
        let returning = returning(cfa);
        let start: Vec<NodeId> = targets.iter().map(|edge| cfa.edge(edge).from).collect();
        let search = Search { cfa, calls, returning: &returning };
        let within = search.backwards(start, IdSet::new(), Step::IntoCallers);
        // Functions that may return to a node from which a target is reachable, and so on.
        let exits: Vec<NodeId> = cfa
            .edges
            .values()
            .filter(|edge| within.contains(edge.to))
            .filter_map(|edge| search.exit_of_call(edge))
            .collect();
        let ahead = search.backwards(exits, within.clone(), Step::IntoCallees);
        Self { targets, within, ahead, returning }
    }

    pub fn is_target(&self, edge: EdgeId) -> bool {
        self.targets.contains(edge)
    }

    /// May a run that is at the node reach a target?
    pub fn can_reach(&self, node: NodeId) -> bool {
        self.ahead.contains(node)
    }

    /// May it do so before the function of the node returns?
    pub fn can_reach_within(&self, node: NodeId) -> bool {
        self.within.contains(node)
    }

    /// May a run that takes the edge reach a target, on the edge itself, in the function that it calls, or
    /// later?
    pub fn edge_can_reach(&self, cfa: &Cfa, edge: EdgeId) -> bool {
        let Edge { to, ref op, .. } = *cfa.edge(edge);
        self.is_target(edge)
            || match *op {
                Op::Call { callee, .. } => {
                    cfa.automaton(callee).is_some_and(|callee| self.within.contains(callee.entry))
                        || self.can_return(callee) && self.ahead.contains(to)
                }
                _ => self.ahead.contains(to),
            }
    }

    /// Does a path lead from the entry of the function to its exit?
    pub fn can_return(&self, function: FuncId) -> bool {
        self.returning.contains(function)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// From the entry of a function to its calls.
    IntoCallers,
    /// From after a call to the exit of what is called.
    IntoCallees,
}

struct Search<'a> {
    cfa: &'a Cfa,
    calls: &'a CallGraph,
    returning: &'a IdSet<FuncId>,
}

impl Search<'_> {
    fn backwards(&self, start: Vec<NodeId>, mut seen: IdSet<NodeId>, step: Step) -> IdSet<NodeId> {
        let mut work: Vec<NodeId> = start.into_iter().filter(|&node| seen.insert(node)).collect();
        while let Some(node) = work.pop() {
            for &edge in self.cfa.entering(node) {
                let edge = self.cfa.edge(edge);
                match edge.op {
                    Op::Call { callee, .. } if !self.returning.contains(callee) => {}
                    _ => work.extend(Some(edge.from).filter(|&from| seen.insert(from))),
                }
                if step == Step::IntoCallees {
                    work.extend(self.exit_of_call(edge).filter(|&exit| seen.insert(exit)));
                }
            }
            let function = self.cfa.nodes[node].function;
            let is_entry = self.cfa.automaton(function).is_some_and(|automaton| automaton.entry == node);
            if step == Step::IntoCallers && is_entry {
                let sites = self.calls.call_sites_of(function).iter().map(|&site| self.cfa.edge(site).from);
                work.extend(sites.filter(|&from| seen.insert(from)));
            }
        }
        seen
    }

    fn exit_of_call(&self, edge: &Edge) -> Option<NodeId> {
        let Op::Call { callee, .. } = edge.op else {
            return None;
        };
        self.cfa.automaton(callee).filter(|_| self.returning.contains(callee)).map(|automaton| automaton.exit)
    }
}

/// The functions that may return: forward from all entries, where the node after a call waits until the
/// callee returns.
fn returning(cfa: &Cfa) -> IdSet<FuncId> {
    let (mut returning, mut seen) = (IdSet::new(), IdSet::new());
    let mut waiting: IdMap<FuncId, Vec<NodeId>> = IdMap::with_len(cfa.automata.len(), Vec::new());
    let mut work: Vec<NodeId> = cfa.defined().map(|automaton| automaton.entry).collect();
    while let Some(node) = work.pop() {
        if !seen.insert(node) {
            continue;
        }
        let function = cfa.nodes[node].function;
        if cfa.automaton(function).is_some_and(|automaton| automaton.exit == node) {
            returning.insert(function);
            work.append(&mut waiting[function]);
        }
        for edge in cfa.leaving(node).iter().map(|&edge| cfa.edge(edge)) {
            match edge.op {
                Op::Call { callee, .. } if !returning.contains(callee) => waiting[callee].push(edge.to),
                _ => work.push(edge.to),
            }
        }
    }
    returning
}
