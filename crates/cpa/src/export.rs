//! Pictures of the abstract reachability graph: Graphviz for people, JSON for programs.

use crate::cpa::Cpa;
use crate::reached::{Reached, Status};
use serde_json::{Value, json};
use std::fmt::Write;
use summa_cfa::Cfa;

/// The graph for Graphviz: boxes are states, dashed arrows lead to the state that covers.
pub fn dot<C: Cpa>(cfa: &Cfa, cpa: &C, reached: &Reached<C>) -> String {
    let mut out = String::from(
        "digraph arg {\n  node [shape=box, fontname=\"monospace\", style=filled, fillcolor=white];\n",
    );
    for id in reached.alive() {
        let node = &reached.nodes[id];
        let label = format!("{id}\\n{}", escape(&cpa.show(&node.state)));
        let color = match node.status {
            _ if node.is_target => ", fillcolor=\"#ffb3b3\"",
            Status::Covered(_) => ", fillcolor=\"#d9d9d9\"",
            Status::Dormant => ", fillcolor=\"#eeeeee\"",
            _ if reached.waitlist.contains(id) => ", fillcolor=\"#fff2b3\"",
            Status::Reached | Status::Removed => "",
        };
        let _ = writeln!(out, "  {id} [label=\"{label}\"{color}];");
        for (parent, by) in &node.parents {
            let _ = writeln!(out, "  {parent} -> {id} [label=\"{}\"];", escape(&by.text(cfa)));
        }
        if let Status::Covered(by) = node.status {
            let _ = writeln!(out, "  {id} -> {by} [style=dashed, constraint=false, label=\"covered by\"];");
        }
    }
    out.push_str("}\n");
    out
}

/// The graph as one JSON object.
pub fn json<C: Cpa>(cfa: &Cfa, cpa: &C, reached: &Reached<C>) -> Value {
    let states: Vec<Value> = reached
        .alive()
        .map(|id| {
            let node = &reached.nodes[id];
            let parents: Vec<Value> = node
                .parents
                .iter()
                .map(|(parent, by)| json!({ "state": parent.to_string(), "by": by.text(cfa) }))
                .collect();
            let covered_by = match node.status {
                Status::Covered(by) => Some(by.to_string()),
                _ => None,
            };
            json!({
                "id": id.to_string(),
                "location": node.node.to_string(),
                "function": cfa.program.func_name(cfa.nodes[node.node].function),
                "state": cpa.show(&node.state),
                "target": node.is_target,
                "waiting": reached.waitlist.contains(id),
                "covered_by": covered_by,
                "parents": parents,
            })
        })
        .collect();
    json!({ "states": states })
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
