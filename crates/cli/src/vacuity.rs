//! Answers about nothing: TRUE is worth little if there was nothing to check, if no error can be reached whatever the conditions are,
//! if assumptions exclude every execution, or if some end in undefined behaviour. Such things are told, whatever the verdict is.
//!
//! Control flow is looked at without conditions, so what is said about it holds. About assumptions only executions are known: that all of
//! those that were tried stopped at one is a hint, and is told as such.

use crate::bug_finder::Search;
use crate::property::Property;
use crate::report::count;
use crate::symbolic::counts;
use summa_base::Id;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_verdict::finding::{Place, Remark};

/// What can be said before anything runs.
pub(crate) fn before(cfa: &Cfa, property: &Property) -> Vec<Remark> {
    if !matches!(property, Property::Unreachable { .. }) {
        return Vec::new();
    }
    let errors: Vec<EdgeId> = cfa.edges.ids().filter(|&edge| counts(cfa, property, edge)).collect();
    if errors.is_empty() {
        let text = "no error function is called and nothing is asserted, at least not where control gets: there is nothing to reach";
        return vec![remark(text.to_owned())];
    }
    let reached = Reached::new(cfa);
    if errors.iter().any(|&edge| reached.contains(cfa.edge(edge).from)) {
        return Vec::new();
    }
    let entry = cfa.program.func_name(cfa.main);
    let ends = cfa.automaton(cfa.main).is_none_or(|automaton| reached.contains(automaton.exit));
    vec![remark(if ends {
        format!("no error can be reached from {entry}, whatever the conditions are: is a call missing?")
    } else {
        format!(
            "neither an error nor the end of {entry} can be reached: every execution is stopped or runs for ever"
        )
    })]
}

/// What the executions that were tried show. `place` says where an edge is in the source.
pub(crate) fn after(searched: &Search, place: impl Fn(EdgeId) -> String) -> Vec<Remark> {
    let mut remarks = Vec::new();
    if let Some(fault) = searched.undefined.filter(|_| searched.violation.is_none()) {
        let (what, at) = (fault.kind, place(fault.edge));
        remarks.push(remark(format!(
            "an execution ends in undefined behaviour ({what} at {at}): \
             what a compiled program does behind it has no part in the verdict"
        )));
    }
    remarks.extend(excluded(searched));
    remarks
}

fn excluded(searched: &Search) -> Option<Remark> {
    if searched.runs == 0 || searched.excluded < searched.runs {
        return None;
    }
    let text = match searched.runs {
        1 => "the only execution stops at an assumption that does not hold".to_owned(),
        runs => format!(
            "each of {} that were tried stopped at an assumption: perhaps no execution satisfies all of them",
            count(runs as usize, "execution")
        ),
    };
    Some(remark(text))
}

fn remark(text: String) -> Remark {
    Remark { place: Place::default(), text }
}

/// The nodes to which control can get, conditions aside. A call leads into the callee, and behind it if the callee can return.
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

    fn warnings(source: &str) -> String {
        let header = "void reach_error(void); void __VERIFIER_assume(int); void abort(void);\n";
        let loaded = summa_c::load_text("t.c", &format!("{header}{source}"), DataModel::Lp64)
            .unwrap_or_else(|_| panic!("not C"));
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        let texts = before(&cfa, &Property::default_property());
        texts.into_iter().map(|remark| remark.text).collect()
    }

    #[test]
    fn nothing_to_check_is_told() {
        assert!(warnings("int main(void) { return 0; }").contains("nothing to reach"));
        assert!(
            warnings("void f(void) { reach_error(); } int main(void) { return 0; }").contains("from main")
        );
        // Code behind an end is not even part of the automaton.
        assert!(
            warnings("int main(void) { abort(); reach_error(); return 0; }").contains("nothing to reach")
        );
        let never_back = "void stop(void) { abort(); } int main(void) { stop(); reach_error(); return 0; }";
        assert!(warnings(never_back).contains("neither an error"), "{}", warnings(never_back));
    }

    #[test]
    fn what_can_be_reached_is_not() {
        assert_eq!(warnings("int main(int c, char **v) { if (c == 7) reach_error(); return 0; }"), "");
        assert_eq!(
            warnings("void f(int n) { if (n) f(n - 1); } int main(void) { f(3); reach_error(); }"),
            ""
        );
    }
}
