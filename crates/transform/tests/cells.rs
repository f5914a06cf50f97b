//! The way back from a program with cells, and its description.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use serde_json::json;
use summa_base::IdMap;
use summa_cfa::{Cfa, ErrorKind, NodeId, NodeKind, Op};
use summa_facts::Analyses;
use summa_testkit::automata;
use summa_transform::{Transformation, Transformed};

const HEAD: &str =
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int a[9]; int b[9];\n";

fn cells(cfa: &Cfa) -> Transformed {
    Transformation::cells(cfa, &|_| true).apply(cfa, &Analyses::new(cfa)).unwrap()
}

const COPY: &str = "int main(void) {
    int i = 0;
    while (i < 9) { a[i] = b[i] + b[8 - i]; i = i + 1; }
    for (int k = 0; k < 9; k++) if (a[k] != b[k] + b[8 - k]) { reach_error(); }
    return a[0] + b[a[1]];
}";

#[test]
fn every_location_has_one_counterpart() {
    let old = automata(&format!("{HEAD}{COPY}"));
    let Transformed { cfa: new, origin, .. } = cells(&old);
    let mut counterparts: IdMap<NodeId, u32> = IdMap::with_len(old.nodes.len(), 0);
    for (node, data) in new.nodes.iter() {
        let Some(home) = origin.node(node) else { continue };
        counterparts[home] += 1;
        assert_eq!(data.function, old.nodes[home].function);
        if data.kind != NodeKind::Plain {
            assert_eq!((data.kind, data.span), (old.nodes[home].kind, old.nodes[home].span));
        }
    }
    for (node, data) in old.nodes.iter() {
        let wanted = if data.kind == NodeKind::LoopHead { 1..=1 } else { 0..=1 };
        assert!(wanted.contains(&counterparts[node]), "{node}: {:?}", data.kind);
    }
    let made = new.nodes.ids().filter(|&node| origin.node(node).is_none()).count();
    assert!(made > 10, "reads and writes of cells are branches");
}

#[test]
fn edges_belong_to_edges_and_variables_stay() {
    let old = automata(&format!("{HEAD}{COPY}"));
    let Transformed { cfa: new, origin, .. } = cells(&old);
    for (edge, data) in new.edges.iter() {
        let Some(home) = origin.edge(edge) else { continue };
        assert_eq!(data.span, old.edges[home].span);
        let function = |cfa: &Cfa, node: NodeId| cfa.nodes[node].function;
        assert_eq!(function(&new, data.from), function(&old, old.edges[home].from));
        // Where the run ends, it ends for the same reason.
        if let Op::Error { kind } = data.op {
            assert!(matches!(old.edges[home].op, Op::Error { kind: of } if of == kind));
        }
    }
    let is_error = |op: &Op| matches!(op, Op::Error { .. });
    let homes = |edge| origin.edge(edge).is_some();
    assert!(new.edges.iter().any(|(edge, data)| is_error(&data.op) && homes(edge)));
    for var in new.program.vars.ids() {
        match origin.variable(var) {
            Some(home) => assert_eq!(new.program.var_name(var), old.program.var_name(home)),
            None => assert!(old.program.vars.get(var).is_none()),
        }
    }
    let named = |name: &str| new.program.vars.ids().find(|&var| new.program.var_name(var) == name).unwrap();
    assert!(origin.variable(named("i")).is_some());
    assert!(origin.variable(named("a$cell0")).is_none());
    assert!(origin.variable(named("chosen$0")).is_none());
}

/// An execution may set the flag for one element, and the new program only notes another one.
#[test]
fn with_flags_not_every_execution_is_followed() {
    let plain = automata(&format!("{HEAD}{COPY}"));
    assert!(cells(&plain).follows_all);
    let flagged = "int main(void) { int fine = 1;
        for (int k = 0; k < 9; k++) if (a[k] != 0) fine = 0;
        if (!fine) reach_error(); return 0; }";
    let flagged = automata(&format!("{HEAD}{flagged}"));
    assert!(!cells(&flagged).follows_all);
}

#[test]
fn descriptions_are_read_for_the_errors_that_count() {
    let cfa = automata(&format!("{HEAD}{COPY}"));
    let cells = Transformation::cells(&cfa, &|_| true);
    let json = cells.to_json(&cfa);
    assert_eq!(json, json!({ "name": "cells", "errors": ["call of reach_error"] }));
    assert_eq!(Transformation::from_json(&cfa, &json, &|_| true), Ok(cells));
    let overflow = |kind| kind == ErrorKind::Overflow;
    assert!(Transformation::from_json(&cfa, &json, &overflow).is_err());
    for wrong in [json!({}), json!([]), json!(1), json!({ "name": "Cells", "errors": [] })] {
        assert!(Transformation::from_json(&cfa, &wrong, &|_| true).is_err(), "{wrong}");
    }
}
