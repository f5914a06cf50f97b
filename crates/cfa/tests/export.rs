//! The automata as dot and JSON.

use expect_test::expect;
use summa_c::tree::FuncId;
use summa_cfa::export::{Locate, Location, View, dot::dot, json::json};
use summa_testkit::automata;

const TEXT: &str =
    "int f(int a) { return a; }\nint main(void) { int i = 0; while (i < 3) i = f(i + 1); return 0; }";

/// The functions, without loop heads but those of the source.
fn view<'a>(functions: Option<&'a [FuncId]>, locate: Locate<'a>) -> View<'a> {
    View { functions, is_loop_head: &|_| false, locate }
}

#[test]
fn dot_shows_one_cluster_per_function() {
    let cfa = automata(TEXT);
    expect![[r#"
        digraph program {
          node [shape=circle, fontname="monospace", fontsize=10];
          edge [fontname="monospace", fontsize=10];
          subgraph cluster_f1 {
            label="main";
            n2 [label="n2", shape=box];
            n3 [label="n3", shape=circle];
            n4 [label="n4", shape=doublecircle];
            n5 [label="n5", shape=circle];
            n6 [label="n6", shape=circle];
            n7 [label="n7", shape=box];
            n2 -> n3 [label="int i;"];
            n3 -> n4 [label="i = 0;"];
            n4 -> n5 [label="[i < 3]"];
            n4 -> n6 [label="[i >= 3]"];
            n5 -> n4 [label="i = f(i + 1);", color=blue, style=bold];
            n6 -> n7 [label="return 0;"];
          }
        }
    "#]]
    .assert_eq(&dot(&cfa, view(Some(&[cfa.main]), &|_| None)));
    let clusters = dot(&cfa, view(None, &|_| None)).matches("subgraph").count();
    assert_eq!(clusters, 3, "f, main and the start");
}

#[test]
fn json_has_locations_where_the_caller_knows_them() {
    let cfa = automata(TEXT);
    let f = cfa.program.find_function("f").unwrap();
    let locate = |span: summa_c::Span| {
        (!span.is_none()).then(|| Location { file: "test.c".to_string(), line: 1, column: span.lo + 1 })
    };
    expect![[r#"
        {
          "start": "__summa_start",
          "entry": "main",
          "data_model": "LP64",
          "functions": [
            {
              "id": "f0",
              "name": "f",
              "entry": "n0",
              "exit": "n1",
              "nodes": [
                {
                  "id": "n0",
                  "kind": "entry",
                  "location": {
                    "file": "test.c",
                    "line": 1,
                    "column": 5
                  }
                },
                {
                  "id": "n1",
                  "kind": "exit",
                  "location": {
                    "file": "test.c",
                    "line": 1,
                    "column": 26
                  }
                }
              ],
              "edges": [
                {
                  "id": "e0",
                  "from": "n0",
                  "to": "n1",
                  "kind": "return",
                  "text": "return a;",
                  "location": {
                    "file": "test.c",
                    "line": 1,
                    "column": 16
                  }
                }
              ]
            }
          ],
          "assumptions": []
        }"#]]
    .assert_eq(&json(&cfa, view(Some(&[f]), &locate)).unwrap());
}
