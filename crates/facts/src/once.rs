//! What a run does at most once: edges outside of loops, in functions that are called from one such edge
//! only.
//!
//! An allocation that happens once makes one object, so that what points to it needs no object in its index.

use crate::call_graph::CallGraph;
use crate::loops::Loops;
use summa_base::IdSet;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId};

#[derive(Clone, Debug)]
pub struct Once {
    functions: IdSet<FuncId>,
}

impl Once {
    pub fn new(cfa: &Cfa, calls: &CallGraph, loops: &Loops) -> Self {
        let mut once = Self { functions: IdSet::new() };
        once.functions.insert(cfa.start);
        // Callers before callees, so that one pass is enough; recursive functions are never called once.
        for function in calls.callees_first().rev() {
            if let &[call] = calls.call_sites_of(function)
                && !calls.is_recursive(function)
                && once.is_once(cfa, loops, call)
            {
                once.functions.insert(function);
            }
        }
        once
    }

    /// Does no run pass the edge twice?
    pub fn is_once(&self, cfa: &Cfa, loops: &Loops, edge: EdgeId) -> bool {
        let from = cfa.edges[edge].from;
        loops.of(from).is_none() && self.functions.contains(cfa.nodes[from].function)
    }
}

#[cfg(test)]
mod tests {
    use crate::Analyses;
    use summa_cfa::Op;

    #[test]
    fn loops_and_second_calls_repeat() {
        let text = "void once(void) { int a; a = 1; } void twice(void) { int b; b = 1; }
                    void again(int n) { int c; c = 1; if (n) again(n - 1); }
                    int main(void) { int d; d = 1; once(); twice(); twice(); again(2);
                                     for (int i = 0; i < 2; i++) { int e; e = 1; } return 0; }";
        let cfa = summa_testkit::automata(text);
        let facts = Analyses::new(&cfa);
        let mut found: Vec<String> = Vec::new();
        for (edge, data) in cfa.edges.iter() {
            if matches!(data.op, Op::Assign { .. }) && facts.once.is_once(&cfa, &facts.loops, edge) {
                found.push(data.op.text(&cfa.program));
            }
        }
        found.retain(|text| text.ends_with("= 1;"));
        assert_eq!(found, ["a = 1;", "d = 1;"]);
    }
}
