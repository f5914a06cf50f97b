//! C text in, automata out, and a compact picture of them.
#![allow(dead_code, reason = "each test file uses a part of it")]

use summa_base::Id;
use summa_c::load::load_text;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, NodeId, NodeKind, build};

pub(crate) fn automata(text: &str) -> Cfa {
    let loaded = load_text("test.c", text, DataModel::Lp64).unwrap_or_else(|failure| {
        let messages: Vec<String> = failure.diagnostics.iter().map(|d| d.message.clone()).collect();
        panic!("{}", messages.join("\n"))
    });
    build(loaded.program, &BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The edges of a function, a line each; nodes are counted from the first of the function.
pub(crate) fn show(cfa: &Cfa, name: &str) -> String {
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
pub(crate) fn node(cfa: &Cfa, id: NodeId) -> String {
    let first = cfa.automaton(cfa.nodes[id].function).expect("nodes belong to automata").nodes.start as usize;
    let mark = if cfa.nodes[id].kind == NodeKind::LoopHead { "*" } else { "" };
    format!("{}{mark}", id.index() - first)
}
