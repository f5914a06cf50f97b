//! Invariants of nodes of the automata as invariants of places in the source.

use crate::places::{Kind, Places};
use crate::witness::Invariant;
use summa_cfa::{Cfa, NodeId, NodeKind};

/// For each node with an invariant in C: the loop whose head it is, or the statement that begins there. Other
/// nodes are left out.
pub fn at_nodes(cfa: &Cfa, places: &Places<'_>, known: &[(NodeId, String)]) -> Vec<Invariant> {
    let mut found: Vec<Invariant> = Vec::new();
    for (id, value) in known {
        let node = &cfa.nodes[*id];
        let Some(statement) = places.statement_at(node.span.lo) else { continue };
        let statement = &places.statements[statement];
        let is_loop = node.kind == NodeKind::LoopHead && matches!(statement.kind, Kind::Loop(..));
        if !is_loop && (statement.span.lo != node.span.lo || statement.kind == Kind::Label) {
            continue;
        }
        let location = places.locate(statement.span);
        // Of several at one place all hold.
        match found.iter_mut().find(|other| other.location == location && other.is_loop == is_loop) {
            Some(other) => other.value = format!("({}) && ({value})", other.value),
            None => found.push(Invariant { is_loop, location, value: value.clone() }),
        }
    }
    found
}
