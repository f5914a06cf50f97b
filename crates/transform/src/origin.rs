//! Where the parts of a program come from that was made of another one.
//!
//! A transformation draws the new program along the old one: each location of the old one has a counterpart,
//! and between counterparts there may be other locations. Variables of the old program keep their numbers;
//! new ones come behind them.

use summa_base::{Id, IdVec};
use summa_c::tree::VarId;
use summa_cfa::{EdgeId, NodeId};

/// The way back from a program to the one that it was made of.
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

    /// The edge of which this one does a part; none for what the old program does not do.
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
