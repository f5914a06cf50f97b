//! Variables that are constants in all but name, as `n` in `int n = 1000; int a[n];`. An index that contains
//! only such variables needs no chosen number for them.

use summa_base::{FxHashMap, IdSet};
use summa_c::tree::VarId;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_facts::effects::{Effects, Touch, touched};

/// Variables that get one constant in one place.
pub(super) struct Constants {
    /// The only edge that writes the variable, and the value.
    written: FxHashMap<VarId, (EdgeId, i128)>,
}

impl Constants {
    pub(super) fn new(cfa: &Cfa) -> Self {
        let program = &cfa.program;
        let effects = Effects::new(cfa);
        let mut writers: FxHashMap<VarId, Option<(EdgeId, i128)>> = FxHashMap::default();
        let mut hidden: IdSet<VarId> = IdSet::new();
        for (edge, data) in cfa.edges.iter() {
            let value = match data.op {
                Op::Assign { value, .. } => program.exprs.as_int(value),
                _ => None,
            };
            for &effect in effects.of(edge) {
                match touched(&program.exprs, effect) {
                    Some((Touch::Write, var)) => {
                        let once = value.map(|value| (edge, value));
                        writers.entry(var).and_modify(|writer| *writer = None).or_insert(once);
                    }
                    Some((Touch::Receive | Touch::Address, var)) => {
                        hidden.insert(var);
                    }
                    Some((Touch::Read, _)) | None => {}
                }
            }
        }
        let mut written = FxHashMap::default();
        for var in program.vars.ids().filter(|&var| !hidden.contains(var)) {
            if let Some(Some(once)) = writers.get(&var) {
                written.insert(var, *once);
            }
        }
        Self { written }
    }

    /// The value of a variable wherever a run is at this node.
    pub(super) fn at(&self, cfa: &Cfa, var: VarId, node: NodeId) -> Option<i128> {
        let &(writer, value) = self.written.get(&var)?;
        let from = cfa.nodes[cfa.edges[writer].from].function;
        let function = cfa.nodes[node].function;
        if from == cfa.start && function != cfa.start {
            return Some(value);
        }
        // Every way from the entry to the node writes the variable, after its life has begun.
        let is_local = cfa.program.vars[var].kind.frame() == Some(function) && from == function;
        let entry = cfa.automaton(function)?.entry;
        let begins = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Declare { var: begun } if begun == var);
        let starts =
            cfa.edges.ids().filter(|&edge| begins(edge)).map(|edge| cfa.edges[edge].to).chain([entry]);
        let unwritten = summa_base::graph::reachable(starts, |at| {
            let leaving = cfa.leaving(at).iter().filter(|&&edge| edge != writer);
            leaving.map(|&edge| cfa.edges[edge].to).collect::<Vec<NodeId>>()
        });
        (is_local && !unwritten.contains(node)).then_some(value)
    }
}
