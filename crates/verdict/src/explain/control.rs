//! Which branch decided that a step was taken: dynamic control dependence.
//!
//! A step depends on the last branch whose region it lies in. The region of a branch ends at its immediate
//! post-dominator, so a stack of open regions is enough while the execution runs (Xin, Zhang: *Efficient
//! online detection of dynamic control dependence*, ISSTA 2007). Only paths to the function's exit count. A
//! run may also end at an assertion or an assumption; what follows does not count as depending on that, as
//! readers expect.

use summa_base::Id;
use summa_cfa::{Automaton, Cfa, NodeId};

/// The immediate post-dominator of every node, where there is one; indexed by node.
#[derive(Debug)]
pub(crate) struct PostDominators {
    of: Vec<Option<NodeId>>,
}

impl PostDominators {
    pub(crate) fn new(cfa: &Cfa) -> Self {
        let mut all = Self { of: vec![None; cfa.nodes.len()] };
        for automaton in cfa.defined() {
            all.find(cfa, automaton);
        }
        all
    }

    /// Where all ways from the node to the exit of its function meet first; None if none leads there.
    pub(crate) fn of(&self, node: NodeId) -> Option<NodeId> {
        self.of.get(node.index()).copied().flatten()
    }

    /// The iterative algorithm of Cooper, Harvey, Kennedy (*A simple, fast dominance algorithm*, 2001), on
    /// the reversed graph.
    fn find(&mut self, cfa: &Cfa, automaton: &Automaton) {
        let predecessors = |node: NodeId| -> Vec<NodeId> {
            cfa.entering(node).iter().map(|&edge| cfa.edge(edge).from).collect()
        };
        let order = summa_base::graph::post_order(automaton.exit, predecessors);
        let first = automaton.nodes.start as usize;
        let mut number: Vec<Option<usize>> = vec![None; automaton.nodes.len()];
        for (position, &node) in order.iter().enumerate() {
            number[node.index() - first] = Some(position);
        }
        let number = |node: NodeId| number[node.index() - first];
        // By position in the post-order; the exit is last.
        let mut idom: Vec<Option<usize>> = vec![None; order.len()];
        let Some(root) = order.len().checked_sub(1) else { return };
        idom[root] = Some(root);
        let mut changed = true;
        while changed {
            changed = false;
            for position in (0..root).rev() {
                let successors =
                    cfa.leaving(order[position]).iter().filter_map(|&edge| number(cfa.edge(edge).to));
                let known = successors.filter(|&successor| idom[successor].is_some());
                let met = known.reduce(|left, right| meet(&idom, left, right));
                if met.is_some() && idom[position] != met {
                    idom[position] = met;
                    changed = true;
                }
            }
        }
        for position in 0..root {
            self.of[order[position].index()] = idom[position].map(|dominator| order[dominator]);
        }
    }
}

/// The nearest common dominator of two nodes, by position in the post-order.
fn meet(idom: &[Option<usize>], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while left < right {
            left = idom[left].unwrap_or(right);
        }
        while right < left {
            right = idom[right].unwrap_or(left);
        }
    }
    left
}

/// The open regions of one frame, innermost last.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    open: Vec<Region>,
}

#[derive(Debug)]
struct Region {
    /// The step that was the branch.
    branch: u32,
    /// Where it ends.
    end: Option<NodeId>,
}

impl Regions {
    /// Control is at this node: regions that end here are left.
    pub(crate) fn arrive(&mut self, node: NodeId) {
        while self.open.last().is_some_and(|region| region.end == Some(node)) {
            self.open.pop();
        }
    }

    /// The branch that decided about the present step.
    pub(crate) fn branch(&self) -> Option<u32> {
        self.open.last().map(|region| region.branch)
    }

    /// The current step is a branch. A region with the same end, such as that of the previous round of a
    /// loop, is replaced. So there are never more open regions than nodes.
    pub(crate) fn enter(&mut self, branch: u32, end: Option<NodeId>) {
        if self.open.last().is_some_and(|region| region.end == end) {
            self.open.pop();
        }
        self.open.push(Region { branch, end });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_c::types::DataModel;
    use summa_cfa::{BuildOptions, Op};

    #[test]
    fn regions_end_where_branches_meet() {
        let source = "int x;\nint main(void) {\n  while (x < 3) {\n    if (x == 1)\n      x = 5;\n    \
            x++;\n  }\n  return x;\n}";
        let loaded =
            summa_c::load_text("test.c", source, DataModel::Lp64).unwrap_or_else(|_| panic!("not C"));
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        let dominators = PostDominators::new(&cfa);
        let line = |node: NodeId| {
            let edge = cfa.edge(cfa.leaving(node)[0]);
            loaded.sources.locate(edge.span).line
        };
        let mut ends = Vec::new();
        for edge in cfa.edges.values() {
            if let Op::Assume { truth: true, .. } = edge.op {
                ends.push((line(edge.from), dominators.of(edge.from).map(line)));
            }
        }
        assert_eq!(ends, [(3, Some(8)), (4, Some(6))]);
    }
}
