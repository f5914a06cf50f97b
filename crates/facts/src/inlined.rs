//! Functions that need no summary of their own, because they are inlined in their callers.
//!
//! A summary pays off if several calls share it. A function that is called from one place only shares its
//! summary with no other call, and analysing a short function again costs little. The locations of such a
//! function count as locations of its caller. Paths through it are not cut at its entry and exit, and its
//! variables need no interface.
//!
//! What holds: recursive functions and the start function are never inlined. A function with loops is inlined
//! at one place only, so that each loop is inside of one block. All bodies together grow by at most the limit
//! for each function.

use crate::call_graph::CallGraph;
use crate::loops::Loops;
use summa_base::{Id, IdMap, IdSet};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};

/// The functions whose copies after the first have at most `limit` edges together; none at all if that is 0.
pub(crate) fn functions(cfa: &Cfa, calls: &CallGraph, loops: &Loops, limit: u32) -> IdSet<FuncId> {
    let mut found = IdSet::new();
    if limit == 0 {
        return found;
    }
    let mut sizes: IdMap<FuncId, usize> = IdMap::with_len(cfa.program.functions.len(), 0);
    let mut with_loops: IdSet<FuncId> = loops.loops.values().map(|each| each.function).collect();
    for function in calls.callees_first() {
        let Some(automaton) = cfa.automaton(function) else { continue };
        let mut size = automaton.edge_ids().count();
        for callee in calls.call_sites_in(function).iter().filter_map(|&call| callee_of(cfa, call)) {
            if found.contains(callee) {
                size += sizes[callee];
                if with_loops.contains(callee) {
                    with_loops.insert(function);
                }
            }
        }
        sizes[function] = size;
        let copies = calls.call_sites_of(function).len();
        let is_short = !with_loops.contains(function) && copies.saturating_sub(1) * size <= limit as usize;
        if function != cfa.start && !calls.is_recursive(function) && (copies == 1 || is_short) {
            found.insert(function);
        }
    }
    found
}

/// The nodes together with those of the functions that are inlined at them, ascending.
pub(crate) fn with_bodies(cfa: &Cfa, inlined: &IdSet<FuncId>, nodes: Vec<NodeId>) -> Vec<NodeId> {
    if inlined.is_empty() {
        return nodes;
    }
    let mut all: IdSet<NodeId> = nodes.iter().copied().collect();
    let mut todo = nodes;
    while let Some(node) = todo.pop() {
        for callee in cfa.leaving(node).iter().filter_map(|&edge| callee_of(cfa, edge)) {
            let body = inlined.contains(callee).then(|| cfa.automaton(callee)).flatten();
            for inner in body.into_iter().flat_map(|body| body.node_ids()) {
                if cfa.nodes[inner].kind != summa_cfa::NodeKind::End && all.insert(inner) {
                    todo.push(inner);
                }
            }
        }
    }
    let mut all: Vec<NodeId> = all.iter().collect();
    all.sort_unstable_by_key(|node| node.index());
    all
}

fn callee_of(cfa: &Cfa, edge: EdgeId) -> Option<FuncId> {
    match cfa.edge(edge).op {
        Op::Call { callee, .. } => Some(callee),
        _ => None,
    }
}
