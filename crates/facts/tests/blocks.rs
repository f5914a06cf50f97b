//! Blocks with their inputs and outputs. That they hold together on any program is tested against execution
//! in `summa-interp`.

use expect_test::{Expect, expect};
use summa_base::IdSet;
use summa_c::tree::{VarId, VarKind};
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_facts::blocks::{BlockKind, Partition};
use summa_testkit::{automata, node};

fn names(cfa: &Cfa, vars: &IdSet<VarId>) -> String {
    let shown = vars.iter().filter(|&var| !matches!(cfa.program.vars[var].kind, VarKind::Temp(_)));
    let text: Vec<&str> = shown.map(|var| cfa.program.var_name(var)).collect();
    if text.is_empty() { "nothing".to_string() } else { text.join(" ") }
}

fn check(text: &str, expected: Expect) {
    let cfa = automata(text);
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::FunctionsAndLoops);
    let mut out = String::new();
    for (id, block) in blocks.blocks.iter().filter(|(_, block)| block.function != cfa.start) {
        let kind = match block.kind {
            BlockKind::Function(_) => "function",
            BlockKind::Loop(_) => "loop in",
        };
        let name = cfa.program.func_name(block.function);
        let parent = block.parent.map_or(String::new(), |parent| format!(" inside {parent}"));
        let recursive = if block.is_recursive { ", recursive" } else { "" };
        let exits: Vec<String> = block.exits.iter().map(|&exit| node(&cfa, exit)).collect();
        let (entry, calls) = (node(&cfa, block.entry), block.calls.len());
        out += &format!(
            "{id}: {kind} {name}{parent}{recursive}: {entry} to {}, {calls} calls\n",
            exits.join(" ")
        );
        let (inputs, outputs) = (names(&cfa, &block.inputs.variables), names(&cfa, &block.outputs.variables));
        out += &format!("  {inputs} -> {outputs}; all: {}\n", names(&cfa, &block.referenced.variables));
    }
    expected.assert_eq(&out);
}

#[test]
fn inputs_are_what_is_read_first_or_kept_on_some_path() {
    check(
        "int in, kept, out, local_use; int f(int a, int unused) { int t = a + in; if (t) kept = 1; out = 2; \
         local_use = t;
           return local_use; }
         int main(void) { int r = f(1, 2); return r + kept + out; }",
        expect![[r#"
            b0: function f: 0 to 7, 0 calls
              in kept a -> kept out local_use __result; all: in kept out local_use __result a t
            b1: function main: 0 to 3, 1 calls
              in kept out local_use -> kept out local_use __result; all: in kept out local_use __result r
        "#]],
    );
}

#[test]
fn what_callees_do_counts() {
    check(
        "int g, h; void set(void) { g = h; } void twice(void) { set(); set(); } int main(void) { h = 3; \
         twice(); return g; }",
        expect![[r#"
            b0: function set: 0 to 2, 0 calls
              h -> g; all: g h
            b1: function twice: 0 to 3, 2 calls
              g h -> g; all: g h
            b2: function main: 0 to 3, 1 calls
              g -> g h __result; all: g h __result
        "#]],
    );
}

#[test]
fn variables_written_through_pointers_are_outputs() {
    check(
        "void set(int *p) { *p = 1; } int main(void) { int x = 0, y = 0; set(&x); return x + y; }",
        expect![[r#"
            b0: function set: 0 to 2, 0 calls
              p x -> x; all: p x
            b1: function main: 0 to 6, 1 calls
              nothing -> __result; all: __result x y
        "#]],
    );
}

#[test]
fn loops_nest_and_leave_their_temporaries_behind() {
    check(
        "void reach_error(void); int f(int n) { int sum = 0; for (int i = 0; i < n; i++) { int t = i; \
         while (t > 0) { t -= 2; sum++; }
             if (sum > 50) reach_error(); if (sum > 40) return -1; } return sum; }
         int main(void) { return f(9); }",
        expect![[r#"
            b0: function f: 0 to 17, 0 calls
              n -> __result; all: __result n sum i t
            b1: function main: 0 to 2, 1 calls
              nothing -> __result; all: __result
            b3: loop in f inside b0: 4* to 11 14 16, 0 calls
              n sum i -> sum; all: n sum i t
            b4: loop in f inside b3: 7* to 10, 0 calls
              sum t -> sum; all: sum t
        "#]],
    );
}

#[test]
fn loops_with_two_entries_stay_in_their_function() {
    check(
        "int main(int argc, char **argv) { int i = 0; if (argc) goto in; while (i < 9) { i += 2; \
         in: i--; } return i; }",
        expect![[r#"
            b0: function main: 0 to 7, 0 calls
              argc -> __result; all: __result argc i
        "#]],
    );
}

#[test]
fn recursion() {
    check(
        "int depth; int f(int *up, int n) { int here = n; depth++; if (up) *up = n; for (int i = 0; i < n; \
         i++) f(&here, n - 1);
           return here; }
         int main(void) { return f(0, 3) + depth; }",
        expect![[r#"
            b0: function f, recursive: 0 to 11, 1 calls
              depth up n here -> depth __result here; all: depth __result up n here i
            b1: function main: 0 to 2, 1 calls
              depth here -> depth here __result; all: depth here __result
            b3: loop in f inside b0, recursive: 7* to 10, 1 calls
              depth n here i -> depth here; all: depth up n here i
        "#]],
    );
}
