//! Compact pictures of automata, for snapshots.

use summa_base::Id;
use summa_cfa::{Cfa, NodeId, NodeKind};

/// The edges of a function, a line each; nodes are counted from the first of the function.
///
/// # Panics
/// The program has no such function, or it has no body.
pub fn show(cfa: &Cfa, name: &str) -> String {
    let function = cfa.program.find_function(name).expect("the function exists");
    let automaton = cfa.automaton(function).expect("the function has a body");
    let mut out = String::new();
    for id in automaton.edge_ids() {
        let edge = cfa.edge(id);
        let text = edge.op.text(&cfa.program);
        out += &format!("{} -> {}: {text}\n", node(cfa, edge.from), node(cfa, edge.to));
    }
    out
}

/// A node by its number in its function; loop heads have an asterisk.
///
/// # Panics
/// The node belongs to no automaton.
pub fn node(cfa: &Cfa, id: NodeId) -> String {
    let first = cfa.automaton(cfa.nodes[id].function).expect("nodes belong to automata").nodes.start as usize;
    let mark = if cfa.nodes[id].kind == NodeKind::LoopHead { "*" } else { "" };
    format!("{}{mark}", id.index() - first)
}
