//! Loops and the call graph of C programs.

use expect_test::{Expect, expect};
use summa_cfa::Cfa;
use summa_facts::call_graph::CallGraph;
use summa_facts::loops::Loops;
use summa_testkit::{automata, node};

/// The loops of all functions: depth as indentation, heads, body, numbers of entry, back and exit edges.
fn show_loops(cfa: &Cfa) -> String {
    let loops = Loops::new(cfa);
    let mut out = String::new();
    for (id, l) in loops.loops.iter() {
        let list = |nodes: &[_]| nodes.iter().map(|&n| node(cfa, n)).collect::<Vec<_>>().join(" ");
        let indent = "  ".repeat(l.depth as usize - 1);
        let counts = format!("{} in, {} back, {} out", l.entries.len(), l.back_edges.len(), l.exits.len());
        out += &format!("{indent}{id}: heads {} of {}; {counts}\n", list(&l.heads), list(&l.body));
    }
    out
}

/// No cycle avoids every head.
fn every_cycle_has_a_head(cfa: &Cfa) {
    let loops = Loops::new(cfa);
    let successors = |n| -> Vec<_> {
        let targets = cfa.leaving(n).iter().map(|&e| cfa.edge(e).to);
        targets.filter(|&to| !loops.is_head(n) && !loops.is_head(to)).collect()
    };
    let components = summa_base::graph::sccs(cfa.nodes.ids(), successors);
    assert!(components.iter().all(|component| component.len() == 1));
    for n in cfa.nodes.ids() {
        assert!(loops.is_head(n) || cfa.leaving(n).iter().all(|&e| cfa.edge(e).to != n));
    }
}

fn check(text: &str, expected: Expect) {
    let cfa = automata(text);
    every_cycle_has_a_head(&cfa);
    expected.assert_eq(&show_loops(&cfa));
}

#[test]
fn nested_loops() {
    check(
        "int main(void) { for (int i = 0; i < 3; i++) { for (int j = 0; j < i; j++) if (j == 2) return 1; }
         return 0; }",
        expect![[r#"
            loop0: heads 2* of 2* 3 4 5* 6 8 9; 1 in, 1 back, 2 out
              loop1: heads 5* of 5* 6 8; 1 in, 1 back, 2 out
        "#]],
    );
}

#[test]
fn goto_loops() {
    check(
        "int main(void) { int i = 0; again: i++; if (i < 3) goto again; other: if (i < 9) { i++; \
         goto other; } return 0; }",
        expect![[r#"
            loop0: heads 2 of 2 3; 1 in, 1 back, 1 out
            loop1: heads 4 of 4 5; 1 in, 1 back, 1 out
        "#]],
    );
}

#[test]
fn jump_into_a_loop_adds_a_head() {
    check(
        "int main(int argc, char **argv) { int i = 0; if (argc) goto in; while (i < 9) { i += 2; \
         in: i--; } return 0; }",
        expect![[r#"
            loop0: heads 3* 5 of 3* 4 5; 2 in, 2 back, 1 out
        "#]],
    );
}

#[test]
fn endless_loops_have_no_way_out() {
    check(
        "int main(int argc, char **argv) { if (argc) for (;;); while (1) argc++; }",
        expect![[r#"
            loop0: heads 1* of 1*; 1 in, 1 back, 0 out
            loop1: heads 2* of 2*; 1 in, 1 back, 0 out
        "#]],
    );
}

#[test]
fn call_graph_knows_recursion() {
    let cfa = automata(
        "int even(int); int odd(int n) { return n ? even(n - 1) : 0; } \
         int even(int n) { return n ? odd(n - 1) : 1; }
         int self(int n) { return n ? self(n - 1) : 0; } int leaf(void) { return 1; } \
         int unused(void) { return leaf(); }
         int main(void) { return even(4) + self(leaf()) + leaf(); }",
    );
    let graph = CallGraph::new(&cfa);
    let name = |f: &_| cfa.program.func_name(*f).to_string();
    let groups: Vec<Vec<String>> = graph.sccs.iter().map(|group| group.iter().map(name).collect()).collect();
    expect![[r#"
        [
            [
                "even",
                "odd",
            ],
            [
                "self",
            ],
            [
                "leaf",
            ],
            [
                "unused",
            ],
            [
                "main",
            ],
            [
                "__summa_start",
            ],
        ]
    "#]]
    .assert_debug_eq(&groups);
    let recursive: Vec<String> = graph.recursive.iter().map(|f| name(&f)).collect();
    assert_eq!(recursive, ["even", "odd", "self"]);
    let leaf = cfa.program.find_function("leaf").unwrap();
    assert_eq!(graph.call_sites_of(leaf).len(), 3);
    assert_eq!(graph.callers(leaf).iter().map(name).collect::<Vec<_>>(), ["unused", "main"]);
    assert_eq!(graph.callees(cfa.main).iter().map(name).collect::<Vec<_>>(), ["even", "self", "leaf"]);
    let unused = cfa.program.find_function("unused").unwrap();
    assert!(!graph.reachable.contains(unused) && graph.reachable.contains(leaf));
}
