//! Where the parts of a transformed program come from.
//!
//! A transformation draws the new program along the old one. Each location of the old program has a
//! counterpart, and there may be further locations between counterparts. Variables of the old program keep
//! their numbers; new ones have higher numbers.

use summa_base::{Id, IdVec};
use summa_c::tree::VarId;
use summa_cfa::{EdgeId, NodeId};

/// The way back from a transformed program to the given one.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    pub(crate) nodes: IdVec<NodeId, Option<NodeId>>,
    pub(crate) edges: IdVec<EdgeId, Option<EdgeId>>,
    /// How many variables the old program has.
    pub(crate) variables: usize,
}

impl Origin {
    /// The location whose counterpart this is; none for a location that the old program does not have.
    pub fn node(&self, node: NodeId) -> Option<NodeId> {
        *self.nodes.get(node)?
    }

    /// The edge of the old program to which this one belongs; None if the old program has no such operation.
    pub fn edge(&self, edge: EdgeId) -> Option<EdgeId> {
        *self.edges.get(edge)?
    }

    /// The same variable of the old program.
    pub fn variable(&self, var: VarId) -> Option<VarId> {
        (var.index() < self.variables).then_some(var)
    }

    /// The way back of two steps: this one is from the last program to the one between.
    pub(crate) fn then(&self, before: &Self) -> Self {
        Self {
            nodes: self.nodes.values().map(|&node| before.node(node?)).collect(),
            edges: self.edges.values().map(|&edge| before.edge(edge?)).collect(),
            variables: before.variables,
        }
    }
}
