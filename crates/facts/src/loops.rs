//! The loops of every automaton, as a forest: loops of the source, of gotos, and those with several entries.
//!
//! A loop is a strongly connected part of the graph. Its heads are the nodes where it is entered from
//! outside. The parts that stay strongly connected without the heads are the loops nested in it. So every
//! cycle goes through a head of the innermost loop that contains all of it. A loop of structured code has one
//! head; a jump into a loop adds another. The first head is a source-level loop head if there is one.
//!
//! Paper: Steensgaard, *Sequentializing program dependence graphs for irreducible programs*, 1993. Limits:
//! loops of the source that share their first node with an enclosing loop are one loop, as in `for (;;) for
//! (;;) …` without anything between.

use summa_base::graph::sccs;
use summa_base::{Id, IdMap, IdSet, IdVec, define_id};
use summa_c::tree::FuncId;
use summa_cfa::{Automaton, Cfa, EdgeId, NodeId, NodeKind};

define_id! {
    LoopId = "loop";
    /// A node counted from the first of its automaton: keeps tables as small as the function.
    Local = "local";
}

#[derive(Clone, Debug)]
pub struct Loop {
    pub function: FuncId,
    /// Where the loop is entered; never empty. More than one: the loop is irreducible.
    pub heads: Vec<NodeId>,
    /// All nodes, heads and nested loops included, ascending.
    pub body: Vec<NodeId>,
    /// Edges from outside to a head.
    pub entries: Vec<EdgeId>,
    /// Edges from inside to a head.
    pub back_edges: Vec<EdgeId>,
    /// Edges that leave the loop.
    pub exits: Vec<EdgeId>,
    pub parent: Option<LoopId>,
    pub children: Vec<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    pub fn head(&self) -> NodeId {
        self.heads[0]
    }

    pub fn is_irreducible(&self) -> bool {
        self.heads.len() > 1
    }

    pub fn contains(&self, node: NodeId) -> bool {
        self.body.binary_search(&node).is_ok()
    }
}

#[derive(Clone, Debug)]
pub struct Loops {
    /// Enclosing loops come before those nested in them.
    pub loops: IdVec<LoopId, Loop>,
    innermost: IdMap<NodeId, Option<LoopId>>,
    heads: IdSet<NodeId>,
}

impl Loops {
    pub fn new(cfa: &Cfa) -> Self {
        let innermost = IdMap::with_len(cfa.nodes.len(), None);
        let mut loops = Self { loops: IdVec::new(), innermost, heads: IdSet::new() };
        cfa.defined().for_each(|automaton| loops.find(cfa, automaton));
        loops
    }

    /// The innermost loop around `node`.
    pub fn of(&self, node: NodeId) -> Option<LoopId> {
        self.innermost[node]
    }

    pub fn is_head(&self, node: NodeId) -> bool {
        self.heads.contains(node)
    }

    /// The loop that `node` is a head of. A head belongs to one loop only: it is not part of nested loops.
    pub fn headed_by(&self, node: NodeId) -> Option<LoopId> {
        if self.is_head(node) { self.of(node) } else { None }
    }

    /// The loops around `node`, innermost first.
    pub fn around(&self, node: NodeId) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.of(node), |&id| self.loops[id].parent)
    }

    /// How many loops are around `node`.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.of(node).map_or(0, |id| self.loops[id].depth)
    }

    fn find(&mut self, cfa: &Cfa, automaton: &Automaton) {
        let first = automaton.nodes.start;
        let local = |node: NodeId| Local::from_index(node.index() - first as usize);
        let global = |node: Local| NodeId::from_index(node.index() + first as usize);
        // What part of the graph a node is in; edges between parts are cut. Heads are in no part.
        let mut part: IdMap<Local, u32> = IdMap::with_len(automaton.nodes.len(), 0);
        const CUT: u32 = u32::MAX;
        let mut parts = 0;
        let mut work: Vec<(Option<LoopId>, Vec<Local>)> =
            vec![(None, automaton.node_ids().map(local).collect())];
        while let Some((parent, nodes)) = work.pop() {
            let successors = |node: Local| -> Vec<Local> {
                let targets = cfa.leaving(global(node)).iter().map(|&edge| local(cfa.edges[edge].to));
                targets.filter(|&to| part[to] == part[node]).collect()
            };
            let candidates: Vec<Local> = nodes.into_iter().filter(|&node| part[node] != CUT).collect();
            let mut found = sccs(candidates.into_iter(), successors);
            found.retain(|nodes| match nodes[..] {
                [node] => cfa.leaving(global(node)).iter().any(|&edge| cfa.edges[edge].to == global(node)),
                _ => true,
            });
            // Loops are numbered in the order of the program, which is that of the nodes.
            found.sort_unstable();
            for component in found {
                parts += 1;
                component.iter().for_each(|&node| part[node] = parts);
                let is_inside = |node: NodeId| part[local(node)] == parts;
                let body: Vec<NodeId> = component.iter().map(|&node| global(node)).collect();
                let id = self.add(cfa, automaton.function, parent, body, is_inside);
                self.loops[id].heads.iter().for_each(|&head| part[local(head)] = CUT);
                work.push((Some(id), component));
            }
        }
    }

    fn add(
        &mut self,
        cfa: &Cfa,
        function: FuncId,
        parent: Option<LoopId>,
        body: Vec<NodeId>,
        is_inside: impl Fn(NodeId) -> bool,
    ) -> LoopId {
        let edge = |edge: EdgeId| &cfa.edges[edge];
        let entries: Vec<EdgeId> = body
            .iter()
            .flat_map(|&node| cfa.entering(node).iter().copied())
            .filter(|&e| !is_inside(edge(e).from))
            .collect();
        let mut heads: Vec<NodeId> = entries.iter().map(|&e| edge(e).to).collect();
        heads.sort_unstable();
        heads.dedup();
        heads.sort_by_key(|&node| cfa.nodes[node].kind != NodeKind::LoopHead); // Stable.
        let inner = heads.iter().flat_map(|&head| cfa.entering(head).iter().copied());
        let back_edges = inner.filter(|&e| is_inside(edge(e).from)).collect();
        let leaving = body.iter().flat_map(|&node| cfa.leaving(node).iter().copied());
        let exits = leaving.filter(|&e| !is_inside(edge(e).to)).collect();
        let depth = parent.map_or(1, |parent| self.loops[parent].depth + 1);
        let id = self.loops.next_id();
        body.iter().for_each(|&node| self.innermost[node] = Some(id));
        self.heads.extend(heads.iter().copied());
        let children = Vec::new();
        self.loops.push(Loop { function, heads, body, entries, back_edges, exits, parent, children, depth });
        if let Some(parent) = parent {
            self.loops[parent].children.push(id);
        }
        id
    }
}
