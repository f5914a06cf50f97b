//! The graph of one function while it is built, and its clean-up. Nodes that the entry does not reach are
//! removed. `Skip` edges without information are contracted. Nodes are numbered in reverse post-order: a node
//! comes before its successors, except over back edges, and the true side of a branch before the false one.
//! [`Frozen`] puts the graphs of all functions together.
//!
//! All automata are drawn here, by the builder and by transformations of finished programs.

use crate::cfa::{Automaton, Cfa, Checks, Edge, EdgeId, Node, NodeId, NodeKind, Op};
use summa_base::graph::post_order;
use summa_base::{Csr, FxHashMap, Id, IdMap, IdVec};
use summa_c::Span;
use summa_c::tree::{Assumption, FuncId, Program};

/// Node ids are local to the draft.
pub struct Draft {
    nodes: IdVec<NodeId, (NodeKind, Span)>,
    edges: Vec<Edge>,
    pub entry: NodeId,
    pub exit: NodeId,
    /// The `End` nodes, made when they are needed: for errors, halts, and what is unsupported.
    ends: [Option<NodeId>; 3],
}

/// The nodes and edges of the draft, in the order of the frozen function.
#[derive(Debug, Default)]
pub struct Numbering {
    /// The nodes of the draft. Of joined nodes, the one that determines the kind of the location.
    pub nodes: Vec<NodeId>,
    /// The edges of the draft, by their numbers there.
    pub edges: Vec<usize>,
}

/// A cleaned draft: node ids count from zero.
pub struct Graph {
    pub nodes: Vec<(NodeKind, Span)>,
    pub edges: Vec<Edge>,
    pub entry: NodeId,
    pub exit: NodeId,
    pub numbering: Numbering,
}

impl Draft {
    pub fn new(start: Span, end: Span) -> Self {
        let mut nodes = IdVec::new();
        let entry = nodes.push((NodeKind::Entry, start));
        let exit = nodes.push((NodeKind::Exit, end));
        Self { nodes, edges: Vec::new(), entry, exit, ends: [None; 3] }
    }

    pub fn node(&mut self, kind: NodeKind, span: Span) -> NodeId {
        self.nodes.push((kind, span))
    }

    pub fn edge(&mut self, from: NodeId, to: NodeId, op: Op, span: Span) {
        self.edges.push(Edge { from, to, op, span });
    }

    pub fn node_ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        self.nodes.ids()
    }

    pub fn op(&self, edge: usize) -> &Op {
        &self.edges[edge].op
    }

    pub fn op_mut(&mut self, edge: usize) -> &mut Op {
        &mut self.edges[edge].op
    }

    pub fn edges_len(&self) -> usize {
        self.edges.len()
    }

    /// Execution that gets to this edge leaves what Summa understands.
    pub fn make_unsupported(&mut self, edge: usize, what: &str) {
        let Edge { from, span, .. } = self.edges[edge];
        let rest = self.node(NodeKind::Plain, span);
        self.terminal(from, Op::Unsupported { what: what.into() }, span);
        self.edges[edge].from = rest;
    }

    pub fn span(&self, edge: usize) -> Span {
        self.edges[edge].span
    }

    /// Lets an edge leave from another node.
    pub fn leave_from(&mut self, edge: usize, node: NodeId) {
        self.edges[edge].from = node;
    }

    /// Adds an edge after which nothing follows.
    pub fn terminal(&mut self, from: NodeId, op: Op, span: Span) {
        let end = match op {
            Op::Error { .. } => 0,
            Op::Halt { .. } => 1,
            _ => 2,
        };
        let to = match self.ends[end] {
            Some(node) => node,
            None => self.nodes.push((NodeKind::End, span)),
        };
        self.ends[end] = Some(to);
        self.edge(from, to, op, span);
    }

    pub fn finish(mut self) -> Graph {
        let mut numbers: Vec<usize> = (0..self.edges.len()).collect();
        self.drop_unreachable(&mut numbers);
        let meant = self.contract_skips(&mut numbers);
        self.number(&meant, numbers)
    }

    /// Keeps the edges for which the predicate holds.
    fn retain(&mut self, numbers: &mut Vec<usize>, is_kept: impl Fn(usize, &Edge) -> bool) {
        let kept: Vec<bool> = self.edges.iter().enumerate().map(|(at, edge)| is_kept(at, edge)).collect();
        let (mut of_edges, mut of_numbers) = (kept.iter(), kept.iter());
        self.edges.retain(|_| of_edges.next().is_some_and(|&kept| kept));
        numbers.retain(|_| of_numbers.next().is_some_and(|&kept| kept));
    }

    /// The edges by the node that they leave, by their numbers.
    pub fn leaving(&self) -> Csr<NodeId, usize> {
        Csr::new(self.nodes.len(), self.edges.iter().enumerate().map(|(i, edge)| (edge.from, i)))
    }

    /// Successors in the order of the edges.
    fn successors(&self) -> Csr<NodeId, NodeId> {
        Csr::new(self.nodes.len(), self.edges.iter().map(|edge| (edge.from, edge.to)))
    }

    fn drop_unreachable(&mut self, numbers: &mut Vec<usize>) {
        let successors = self.successors();
        let reachable = summa_base::graph::reachable([self.entry], |node| &successors[node]);
        self.retain(numbers, |_, edge| reachable.contains(edge.from));
    }

    /// A `Skip` that is the only edge leaving its source joins source and target, if one of them is plain and
    /// the other keeps its meaning: a loop head must stay on every round, an entry must not be entered, and
    /// so on. The result says for each node which one it means now.
    fn contract_skips(&mut self, numbers: &mut Vec<usize>) -> IdVec<NodeId, NodeId> {
        let leaving = self.leaving();
        let mut in_degree: IdMap<NodeId, usize> = IdMap::with_len(self.nodes.len(), 0);
        for edge in &self.edges {
            in_degree[edge.to] += 1;
        }
        // The node of which each node became a part; itself if it stays.
        let mut joined: IdVec<NodeId, NodeId> = self.nodes.ids().collect();
        let mut meant = joined.clone();
        let mut gone = vec![false; self.edges.len()];
        for source in self.nodes.ids() {
            let &[only] = &leaving[source] else { continue };
            if !matches!(self.edges[only].op, Op::Skip) {
                continue;
            }
            let target = find(&mut joined, self.edges[only].to);
            if target == source {
                continue; // `for (;;);` must stay a loop.
            }
            let (source_kind, span) = self.nodes[source];
            let joins = match (source_kind, self.nodes[target].0) {
                (NodeKind::Plain, NodeKind::Plain | NodeKind::LoopHead | NodeKind::Label(_)) => true,
                (_, NodeKind::Plain) if in_degree[target] == 1 => {
                    self.nodes[target] = (source_kind, span);
                    meant[target] = meant[source];
                    true
                }
                _ => false,
            };
            if joins {
                in_degree[target] += in_degree[source];
                in_degree[target] -= 1;
                joined[source] = target;
                gone[only] = true;
            }
        }
        self.entry = find(&mut joined, self.entry);
        self.retain(numbers, |at, _| !gone[at]);
        for edge in &mut self.edges {
            // Sources that were joined have lost their only edge, except where the target took their place.
            edge.from = find(&mut joined, edge.from);
            edge.to = find(&mut joined, edge.to);
        }
        meant
    }

    /// Reverse post-order.
    fn number(mut self, meant: &IdVec<NodeId, NodeId>, drawn: Vec<usize>) -> Graph {
        // Successors are visited last to first, so that the first gets the smallest number.
        self.edges.reverse();
        let successors = self.successors();
        self.edges.reverse();
        let mut order = post_order(self.entry, |node| &successors[node]);
        order.reverse();
        if !order.contains(&self.exit) {
            order.push(self.exit);
        }
        let mut numbers: IdMap<NodeId, NodeId> = IdMap::with_len(self.nodes.len(), NodeId::from_index(0));
        for (number, &node) in order.iter().enumerate() {
            numbers[node] = NodeId::from_index(number);
        }
        let mut nodes: Vec<(NodeKind, Span)> = order.iter().map(|&node| self.nodes[node]).collect();
        let mut edges: Vec<(Edge, usize)> = self.edges.into_iter().zip(drawn).collect();
        for (edge, _) in &mut edges {
            edge.from = numbers[edge.from];
            edge.to = numbers[edge.to];
        }
        edges.sort_by_key(|(edge, _)| edge.from); // Stable: the order of the edges of one node stays.
        let (edges, drawn): (Vec<Edge>, Vec<usize>) = edges.into_iter().unzip();
        for edge in edges.iter().rev() {
            let (kind, span) = &mut nodes[edge.from.index()];
            // A reader finds a plain location where its first operation is.
            if *kind == NodeKind::Plain {
                *span = edge.span;
            }
        }
        let numbering = Numbering { nodes: order.iter().map(|&node| meant[node]).collect(), edges: drawn };
        Graph { nodes, edges, entry: numbers[self.entry], exit: numbers[self.exit], numbering }
    }
}

/// The automata so far; ids are final.
#[derive(Default)]
pub struct Frozen {
    nodes: IdVec<NodeId, Node>,
    edges: IdVec<EdgeId, Edge>,
    automata: IdVec<FuncId, Option<Automaton>>,
}

impl Frozen {
    /// Adds a function; the result says where its parts come from.
    pub fn append(&mut self, function: FuncId, draft: Option<Draft>) -> Numbering {
        let Some(draft) = draft else {
            self.automata.push(None);
            return Numbering::default();
        };
        let (first_node, first_edge) = (self.nodes.len(), self.edges.len());
        let graph = draft.finish();
        let renumber = |node: NodeId| NodeId::from_index(first_node + node.index());
        for (kind, span) in graph.nodes {
            self.nodes.push(Node { function, kind, span });
        }
        for edge in graph.edges {
            self.edges.push(Edge { from: renumber(edge.from), to: renumber(edge.to), ..edge });
        }
        self.automata.push(Some(Automaton {
            function,
            entry: renumber(graph.entry),
            exit: renumber(graph.exit),
            nodes: first_node as u32..self.nodes.len() as u32,
            edges: first_edge as u32..self.edges.len() as u32,
        }));
        graph.numbering
    }

    /// The program with these automata; they are not verified yet.
    pub fn into_cfa(
        mut self,
        program: Program,
        start: FuncId,
        main: FuncId,
        assumptions: Vec<Assumption>,
        checks: Checks,
    ) -> Cfa {
        // Functions that were declared on the way have no body.
        while self.automata.len() < program.functions.len() {
            self.automata.push(None);
        }
        let len = self.nodes.len();
        let edges = self.edges.values().enumerate().map(|(i, edge)| (edge, EdgeId::from_index(i)));
        Cfa {
            leaving: Csr::new(len, edges.clone().map(|(edge, id)| (edge.from, id))),
            entering: Csr::new(len, edges.map(|(edge, id)| (edge.to, id))),
            nodes: self.nodes,
            edges: self.edges,
            automata: self.automata,
            program,
            start,
            main,
            assumptions,
            checks,
            members_apart: false,
            promoted: FxHashMap::default(),
            names: std::sync::OnceLock::new(),
        }
    }
}

/// The node that `node` is part of now; halves the way there.
fn find(joined: &mut IdVec<NodeId, NodeId>, mut node: NodeId) -> NodeId {
    while joined[node] != node {
        joined[node] = joined[joined[node]];
        node = joined[node];
    }
    node
}
