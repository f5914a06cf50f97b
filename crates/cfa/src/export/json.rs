//! Automata as JSON, for other programs. The names of the fields are an interface: they do not change
//! lightly.

use super::{Location, View};
use crate::cfa::{Automaton, Cfa, NodeKind, Op};
use serde::Serialize;

#[derive(Serialize)]
struct ProgramView<'a> {
    start: &'a str,
    entry: &'a str,
    data_model: &'static str,
    functions: Vec<FunctionView<'a>>,
    assumptions: Vec<AssumptionView<'a>>,
}

#[derive(Serialize)]
struct FunctionView<'a> {
    id: String,
    name: &'a str,
    entry: String,
    exit: String,
    nodes: Vec<NodeView>,
    edges: Vec<EdgeView<'a>>,
}

#[derive(Serialize)]
struct NodeView {
    id: String,
    kind: &'static str,
    /// Head of a loop, of the source or of gotos.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    loop_head: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

#[derive(Serialize)]
struct EdgeView<'a> {
    id: String,
    from: String,
    to: String,
    kind: &'static str,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    callee: Option<&'a str>,
    /// For assumptions: which side of the branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    truth: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

#[derive(Serialize)]
struct AssumptionView<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Location>,
}

/// The automata that the view shows.
pub fn json(cfa: &Cfa, view: View) -> Result<String, serde_json::Error> {
    let program = &cfa.program;
    let shown = cfa.defined().filter(|a| view.shows(a.function));
    let assumptions = cfa.assumptions.iter();
    let shown_program = ProgramView {
        start: program.func_name(cfa.start),
        entry: program.func_name(cfa.main),
        data_model: program.types.model.name(),
        functions: shown.map(|automaton| function(cfa, automaton, view)).collect(),
        assumptions: assumptions
            .map(|a| AssumptionView { text: &a.text, location: (view.locate)(a.span) })
            .collect(),
    };
    serde_json::to_string_pretty(&shown_program)
}

fn function<'a>(cfa: &'a Cfa, automaton: &Automaton, view: View) -> FunctionView<'a> {
    let nodes = automaton.node_ids().map(|id| NodeView {
        id: id.to_string(),
        kind: kind_name(cfa.nodes[id].kind),
        loop_head: (view.is_loop_head)(id),
        location: (view.locate)(cfa.nodes[id].span),
    });
    let edges = automaton.edge_ids().map(|id| {
        let edge = &cfa.edges[id];
        let (callee, truth) = match edge.op {
            Op::Call { callee, .. } | Op::Library { callee, .. } | Op::External { callee, .. } => {
                (Some(cfa.program.func_name(callee)), None)
            }
            Op::Assume { truth, .. } => (None, Some(truth)),
            _ => (None, None),
        };
        EdgeView {
            id: id.to_string(),
            from: edge.from.to_string(),
            to: edge.to.to_string(),
            kind: edge.op.kind_name(),
            text: edge.op.text(&cfa.program),
            callee,
            truth,
            location: (view.locate)(edge.span),
        }
    });
    FunctionView {
        id: automaton.function.to_string(),
        name: cfa.program.func_name(automaton.function),
        entry: automaton.entry.to_string(),
        exit: automaton.exit.to_string(),
        nodes: nodes.collect(),
        edges: edges.collect(),
    }
}

fn kind_name(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Plain => "plain",
        NodeKind::Entry => "entry",
        NodeKind::Exit => "exit",
        NodeKind::LoopHead => "loop head",
        NodeKind::Label(_) => "label",
        NodeKind::End => "end",
    }
}
