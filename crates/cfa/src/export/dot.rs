//! Automata as a Graphviz graph: one cluster per function, C syntax on the edges.
//!
//! Double circles are loop heads, boxes entry and exit, octagons ends of the run. Calls are blue and bold,
//! errors red, library and external calls blue, what is unsupported orange.

use super::View;
use crate::cfa::{Automaton, Cfa, NodeKind, Op};
use std::fmt::Write;

/// Longer edge labels are cut.
const MAX_LABEL: usize = 120;

/// The automata that the view shows.
pub fn dot(cfa: &Cfa, view: View) -> String {
    let mut out = String::from(
        "digraph program {\n  node [shape=circle, fontname=\"monospace\", fontsize=10];\n  \
         edge [fontname=\"monospace\", fontsize=10];\n",
    );
    for automaton in cfa.defined().filter(|a| view.shows(a.function)) {
        cluster(&mut out, cfa, automaton, view);
    }
    out.push_str("}\n");
    out
}

fn cluster(out: &mut String, cfa: &Cfa, automaton: &Automaton, view: View) {
    let function = automaton.function;
    let name = escape(cfa.program.func_name(function));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "  subgraph cluster_{function} {{\n    label=\"{name}\";");
    for id in automaton.node_ids() {
        let node = &cfa.nodes[id];
        let mut label = id.to_string();
        if let Some(place) = (view.locate)(node.span) {
            let _ = write!(label, "\\nline {}", place.line);
        }
        let shape = match node.kind {
            NodeKind::Entry | NodeKind::Exit => "box",
            NodeKind::End => "octagon",
            NodeKind::LoopHead => "doublecircle",
            _ if (view.is_loop_head)(id) => "doublecircle",
            NodeKind::Plain | NodeKind::Label(_) => "circle",
        };
        let _ = writeln!(out, "    {id} [label=\"{label}\", shape={shape}];");
    }
    for id in automaton.edge_ids() {
        let edge = &cfa.edges[id];
        let label = escape(&shorten(edge.op.text(&cfa.program)));
        let style = match edge.op {
            Op::Call { .. } => ", color=blue, style=bold",
            Op::Library { .. } | Op::External { .. } => ", color=blue",
            Op::Error { .. } => ", color=red, style=bold",
            Op::Halt { .. } => ", color=gray",
            Op::Unsupported { .. } => ", color=orange, style=bold",
            Op::Skip => ", style=dotted",
            _ => "",
        };
        let _ = writeln!(out, "    {} -> {} [label=\"{label}\"{style}];", edge.from, edge.to);
    }
    out.push_str("  }\n");
}

fn shorten(text: String) -> String {
    match text.char_indices().nth(MAX_LABEL) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text,
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out
}
