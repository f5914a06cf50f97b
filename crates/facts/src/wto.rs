//! Weak topological order of a function's nodes: nested components, each with a head, such that every cycle
//! of a component passes its head, and everything on which a node depends comes before it, except over back
//! edges.
//!
//! Paper: Bourdoncle, *Efficient chaotic iteration strategies with widenings*, 1993. Here by repeated
//! strongly connected components: the head of a component is its first node in reverse post-order.

use summa_base::{Id, IdMap, IdSet, IdVec, define_id, graph};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, NodeId};

define_id! {
    /// A component: a loop.
    ComponentId = "k";
}

define_id! {
    /// A node, counted from the first one of its function: what is kept of one function is not larger in a
    /// large program.
    LocalNode = "l";
}

/// Where a node stands in the order: the components around it, outermost first, each with its position among
/// its siblings; then its own position in the innermost one. A head is at position 0 of its component.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Position {
    pub around: Vec<(u32, ComponentId)>,
    pub place: u32,
}

#[derive(Clone, Debug)]
pub struct Wto {
    /// The first node of the function.
    first: usize,
    positions: IdMap<LocalNode, Position>,
    /// Head of each component.
    pub heads: IdVec<ComponentId, NodeId>,
}

impl Wto {
    /// The order of one function's nodes.
    pub fn new(cfa: &Cfa, function: FuncId) -> Self {
        let mut wto = Self { first: 0, positions: IdMap::default(), heads: IdVec::new() };
        let Some(automaton) = cfa.automaton(function) else { return wto };
        wto.first = automaton.node_ids().map(Id::index).min().unwrap_or(0);
        let first = wto.first;
        let local = |node: NodeId| LocalNode::from_index(node.index() - first);
        let node_of = |local: LocalNode| NodeId::from_index(first + local.index());
        // Lists still to be ordered: the nodes, the head of their component, and what is around them.
        let mut todo = vec![(automaton.node_ids().map(local).collect::<Vec<_>>(), None, Vec::new())];
        while let Some((nodes, head, around)) = todo.pop() {
            let inside: IdSet<LocalNode> = nodes.iter().copied().collect();
            let successors = |node: LocalNode| -> Vec<LocalNode> {
                let targets = cfa.leaving(node_of(node)).iter().map(|&edge| local(cfa.edges[edge].to));
                targets.filter(|&to| inside.contains(to) && Some(to) != head).collect()
            };
            let rest = nodes.iter().copied().filter(|&node| Some(node) != head);
            let mut components = graph::sccs(rest, successors);
            components.reverse();
            if let Some(head) = head {
                wto.positions[head] = Position { around: around.clone(), place: 0 };
            }
            for (i, component) in components.into_iter().enumerate() {
                let place = i as u32 + 1;
                let is_loop = component.len() > 1 || successors(component[0]).contains(&component[0]);
                if !is_loop {
                    wto.positions[component[0]] = Position { around: around.clone(), place };
                    continue;
                }
                // Sorted, and nodes are numbered in reverse post-order.
                let head = component[0];
                let mut inner = around.clone();
                inner.push((place, wto.heads.push(node_of(head))));
                todo.push((component, Some(head), inner));
            }
        }
        wto
    }

    /// The position of a node of the function.
    pub fn position(&self, node: NodeId) -> &Position {
        &self.positions[LocalNode::from_index(node.index() - self.first)]
    }

    /// Is the node the head of the component?
    pub fn is_head(&self, node: NodeId, component: ComponentId) -> bool {
        self.heads[component] == node
    }

    /// How many components there are; loops of the function.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }
}
