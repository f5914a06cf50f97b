//! Abstract paths: how control reached a state, as evidence that an analysis could not refute.

use summa_cfa::NodeId;
use summa_cpa::{ArgId, Cpa, Move, Reached};

/// A path through the program that an analysis could not refute. It must be checked before a verdict: it does
/// not contain values of inputs, and there may be none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbstractPath {
    /// Where it begins.
    pub root: NodeId,
    pub moves: Vec<Move>,
}

impl AbstractPath {
    /// The way by which a state was first reached.
    pub fn to<C: Cpa>(reached: &Reached<C>, state: ArgId) -> Self {
        let (root, steps) = reached.path_to(state);
        let moves = steps.into_iter().map(|(by, _)| by).collect();
        Self { root: reached.nodes[root].node, moves }
    }
}
