//! Answers that say little. TRUE is worth little if there is nothing to check, if no error can be reached
//! whatever the conditions are, if assumptions exclude every execution, or if some executions end in
//! undefined behaviour. Such facts are reported with every verdict.
//!
//! Control flow is looked at without conditions, so what is reported about it holds. About assumptions only
//! executions are known: if all executions that were tried stopped at one, that is reported as a hint.

use crate::executions::Search;
use crate::property::Property;
use summa_base::Id;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_interp::Fault;

/// Why an answer may say less than it seems to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// No error function and no assertion is in reachable code.
    NothingToReach,
    /// There are errors, but control cannot reach them.
    OutOfReach,
    /// Control can reach neither an error nor the end of the entry function.
    NoEnd,
    /// An execution ends in undefined behaviour that the property does not ask for.
    Undefined(Fault),
    /// All of this many executions stopped at an assumption.
    Excluded(u64),
}

/// What can be said before anything runs.
pub fn before(cfa: &Cfa, property: &Property) -> Option<Vacuity> {
    if !matches!(property, Property::Unreachable { .. }) {
        return None;
    }
    let errors: Vec<EdgeId> = cfa.edges.ids().filter(|&edge| property.is_violated_at(cfa, edge)).collect();
    if errors.is_empty() {
        return Some(Vacuity::NothingToReach);
    }
    let reached = Reached::new(cfa);
    if errors.iter().any(|&edge| reached.contains(cfa.edge(edge).from)) {
        return None;
    }
    let ends = cfa.automaton(cfa.main).is_none_or(|automaton| reached.contains(automaton.exit));
    Some(if ends { Vacuity::OutOfReach } else { Vacuity::NoEnd })
}

/// What the executions that were tried show.
pub fn after(searched: &Search) -> Vec<Vacuity> {
    let undefined = searched.undefined.filter(|_| searched.violation.is_none()).map(Vacuity::Undefined);
    let is_excluded = searched.runs > 0 && searched.excluded >= searched.runs;
    let excluded = is_excluded.then_some(Vacuity::Excluded(searched.runs));
    undefined.into_iter().chain(excluded).collect()
}

/// The nodes to which control can get, conditions aside. A call leads into the callee, and behind it if the
/// callee can return.
struct Reached {
    nodes: Vec<bool>,
}

impl Reached {
    fn new(cfa: &Cfa) -> Self {
        let mut nodes = vec![false; cfa.nodes.len()];
        // Calls whose callee has not returned so far.
        let mut waiting: Vec<EdgeId> = Vec::new();
        let mut todo = vec![cfa.entry()];
        loop {
            while let Some(node) = todo.pop() {
                if std::mem::replace(&mut nodes[node.index()], true) {
                    continue;
                }
                for &edge in cfa.leaving(node) {
                    match cfa.edge(edge).op {
                        Op::Call { callee, .. } => {
                            todo.extend(cfa.automaton(callee).map(|automaton| automaton.entry));
                            waiting.push(edge);
                        }
                        _ => todo.push(cfa.edge(edge).to),
                    }
                }
            }
            let returns = |edge: &EdgeId| match cfa.edge(*edge).op {
                Op::Call { callee, .. } => {
                    cfa.automaton(callee).is_none_or(|automaton| nodes[automaton.exit.index()])
                }
                _ => true,
            };
            let (back, still): (Vec<EdgeId>, Vec<EdgeId>) = waiting.iter().partition(|edge| returns(edge));
            waiting = still;
            if back.is_empty() {
                return Self { nodes };
            }
            todo.extend(back.iter().map(|&edge| cfa.edge(edge).to));
        }
    }

    fn contains(&self, node: NodeId) -> bool {
        self.nodes[node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_c::types::DataModel;
    use summa_cfa::BuildOptions;

    fn told(source: &str) -> Option<Vacuity> {
        let header = "void reach_error(void); void __VERIFIER_assume(int); void abort(void);\n";
        let loaded = summa_c::load_text("t.c", &format!("{header}{source}"), DataModel::Lp64)
            .unwrap_or_else(|_| panic!("not C"));
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        before(&cfa, &Property::default_property())
    }

    #[test]
    fn nothing_to_check_is_told() {
        assert_eq!(told("int main(void) { return 0; }"), Some(Vacuity::NothingToReach));
        let not_called = "void f(void) { reach_error(); } int main(void) { return 0; }";
        assert_eq!(told(not_called), Some(Vacuity::OutOfReach));
        // Code after an end is not even part of the automaton.
        let behind = "int main(void) { abort(); reach_error(); return 0; }";
        assert_eq!(told(behind), Some(Vacuity::NothingToReach));
        let never_back = "void stop(void) { abort(); } int main(void) { stop(); reach_error(); return 0; }";
        assert_eq!(told(never_back), Some(Vacuity::NoEnd));
    }

    #[test]
    fn what_can_be_reached_is_not() {
        assert_eq!(told("int main(int c, char **v) { if (c == 7) reach_error(); return 0; }"), None);
        let recursive = "void f(int n) { if (n) f(n - 1); } int main(void) { f(3); reach_error(); }";
        assert_eq!(told(recursive), None);
    }
}
