//! Proofs that were forged to hide an error: each is refused, because of the step that is wrong in it.
//!
//! What they have in common: something is assumed on one way through the program that says something about
//! another one.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_base::Budget;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_encode::{CellId, Encoder, Encoding};
use summa_facts::Analyses;
use summa_proof::{Draft, Formula, Method, Place, Point, Procedure, Proof, Refusal, check};
use summa_term::{Sort, Term, Terms};
use summa_testkit::automata;

const HEAD: &str =
    "extern void abort(void); void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

/// The program with a proof that is being made up.
struct Forger<'p> {
    cfa: &'p Cfa,
    facts: &'p Analyses,
    encoder: Encoder<'p>,
    draft: Draft,
}

impl<'p> Forger<'p> {
    fn new(cfa: &'p Cfa, facts: &'p Analyses, encoding: Encoding) -> Self {
        let encoder = Encoder::new(cfa, facts, encoding);
        let mut forger = Self { cfa, facts, encoder, draft: Draft::default() };
        let holds = forger.formula(Terms::TRUE);
        let start = Procedure { function: cfa.start, requires: holds, ensures: holds, points: Vec::new() };
        forger.draft.procedures.push(start);
        forger
    }

    fn formula(&mut self, term: Term) -> Formula {
        self.draft.formula(term)
    }

    fn function(&self, name: &str) -> FuncId {
        self.cfa.names().find_function(name).unwrap()
    }

    /// The calls of a function, in the order of the program.
    fn calls(&self, name: &str) -> Vec<EdgeId> {
        let function = self.function(name);
        let is_it = |edge: &summa_cfa::Edge| matches!(edge.op, Op::Call { callee, .. } if callee == function);
        self.cfa.edges.iter().filter(|(_, edge)| is_it(edge)).map(|(id, _)| id).collect()
    }

    /// The location of a function in which several ways meet.
    fn meeting(&self, name: &str) -> NodeId {
        let function = self.function(name);
        let is_it = |&node: &NodeId| {
            self.cfa.nodes[node].function == function
                && self.cfa.entering(node).len() > 1
                && !self.cfa.leaving(node).is_empty()
        };
        self.cfa.nodes.ids().find(is_it).unwrap()
    }

    fn head(&self, name: &str) -> NodeId {
        let function = self.function(name);
        let is_it =
            |&node: &NodeId| self.cfa.nodes[node].function == function && self.facts.loops.is_head(node);
        self.cfa.nodes.ids().find(is_it).unwrap()
    }

    fn cell(&self, name: &str) -> CellId {
        let cells = &self.encoder.cells.cells;
        let named = |&cell: &CellId| self.encoder.terms.symbol_name(cells[cell].symbol) == name;
        cells.ids().find(named).unwrap_or_else(|| panic!("no cell is called {name}"))
    }

    /// The cell has this value.
    fn is(&mut self, name: &str, value: i128) -> Formula {
        let cell = self.cell(name);
        let data = self.encoder.cells.cells[cell];
        let terms = &mut self.encoder.terms;
        let symbol = terms.symbol(data.symbol, 0);
        let value = match data.sort {
            Sort::Bv(width) => terms.bv(width, value as u128 & (u128::MAX >> (128 - u32::from(width)))),
            _ => terms.int(value),
        };
        let formula = terms.eq(symbol, value);
        self.formula(formula)
    }

    fn contract(&mut self, name: &str, ensures: Formula, points: Vec<Point>) {
        let function = self.function(name);
        let requires = self.formula(Terms::TRUE);
        self.draft.procedures.push(Procedure { function, requires, ensures, points });
    }

    fn finish(self, method: Method) -> Proof {
        self.draft.finish(&self.encoder.terms, self.encoder.encoding, method).unwrap()
    }
}

/// Checks what is made up for the program, in both arithmetics.
fn refused(program: &str, forge: impl Fn(&mut Forger<'_>)) {
    let cfa = automata(&format!("{HEAD}{program}"));
    let facts = Analyses::new(&cfa);
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    for encoding in [Encoding::Int, Encoding::BitVector] {
        let mut forger = Forger::new(&cfa, &facts, encoding);
        forge(&mut forger);
        let proof = forger.finish(Method::Induction { k: 0 });
        let answer = check(&cfa, &facts, &is_error, &proof, &Budget::unlimited());
        assert!(matches!(answer, Err(Refusal::Wrong { .. })), "{encoding:?}: {answer:?}");
    }
}

#[test]
fn a_lemma_about_one_call_says_nothing_about_another() {
    let program =
        "int g; void f(int n) { if (__VERIFIER_nondet_int()) g = 1; else g = 2; if (n == 2) reach_error(); }
        int main(void) { f(1); f(2); return 0; }";
    refused(program, |forger| {
        let (main, call) = (forger.calls("main")[0], forger.calls("f")[0]);
        let node = forger.meeting("f");
        let is_one = forger.is("f.n", 1);
        forger
            .draft
            .lemmas
            .push(vec![Point { place: Place { calls: vec![main, call], node }, formula: is_one }]);
        let holds = forger.formula(Terms::TRUE);
        forger.contract("f", holds, vec![Point { place: Place { calls: Vec::new(), node }, formula: holds }]);
    });
}

/// `never` does not return, so that its contract may ensure whatever it likes.
const NEVER: &str = "int x, y; unsigned char b[4]; void never(void) { y = 1; while (y == 1) y = 1; }\n";

fn never_ensures(forger: &mut Forger<'_>, cell: &str, value: i128) {
    let ensures = forger.is(cell, value);
    let for_ever = forger.is("y", 1);
    let place = Place { calls: Vec::new(), node: forger.head("never") };
    forger.contract("never", ensures, vec![Point { place, formula: for_ever }]);
}

#[test]
fn what_a_call_that_does_not_return_ensures_is_not_known_elsewhere() {
    let beside = "int main(void) { if (__VERIFIER_nondet_int()) never(); else x = 2; \
        if (x == 2) reach_error(); return 0; }";
    let before = "int main(void) { x = __VERIFIER_nondet_int(); if (x == 7) reach_error(); \
        if (__VERIFIER_nondet_int()) { never(); b[y & 3] = y; x = b[1]; } if (x == 8) reach_error(); \
        return 0; }";
    for main in [beside, before] {
        for (cell, value) in
            [("next object", 1), ("next object", 0), ("y", 1 << 31), ("y", -(1 << 40)), ("y", 3)]
        {
            refused(&format!("{NEVER}{main}"), |forger| never_ensures(forger, cell, value));
        }
    }
}

/// The number of a pointer is zero for null only, but of pointers that are not made nothing is said.
#[test]
fn the_number_of_a_pointer_is_known_where_it_is_made() {
    let program =
        "char c[4]; int main(void) { long n = __VERIFIER_nondet_int(); long m = n * 1000000007L; long k;
        if (n > 5) k = (long)(c + m); else k = 1;
        if (n < 5 && k == 1 && m == -(long)c) reach_error(); return 0; }";
    refused(program, |_| {});
}

/// Every additional assumption needs a reason in the table.
#[test]
fn every_assumption_is_in_the_table() {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(here.join("src/axioms.rs")).unwrap();
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with("//! |")).collect();
    let sources = here.join("../encode/src");
    let mut todo = vec![sources.clone()];
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        // Paths assume conditions of the program.
        let text = std::fs::read_to_string(&path).unwrap().replace("paths.assume(", "");
        let name = path.strip_prefix(&sources).unwrap().to_str().unwrap().to_owned();
        let assumes = [".assume(", ".assume_here(", ".element_fact(", "EntryFacts {"];
        if assumes.iter().any(|word| text.contains(word)) {
            assert!(rows.iter().any(|row| row.contains(&format!("`{name}`"))), "{name} is not in the table");
            found.push(name);
        }
    }
    assert!(found.len() > 5, "{found:?}");
}
