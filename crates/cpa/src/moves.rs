//! Moves: how control goes from one location to the next, across functions.
//!
//! The automata have one edge for a call. An analysis that follows the callee makes two moves of it: one
//! enters the callee, the other returns.

use summa_cfa::{Cfa, EdgeId, NodeId, Op};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// An edge of a function; never a call of a function with an automaton.
    Edge(EdgeId),
    /// From before a call to the entry of the callee.
    Enter(EdgeId),
    /// From the exit of the callee to the location after the call.
    Leave(EdgeId),
}

impl Step {
    /// The edge, or the edge of the call.
    pub fn edge(self) -> EdgeId {
        let (Self::Edge(edge) | Self::Enter(edge) | Self::Leave(edge)) = self;
        edge
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    pub step: Step,
    pub from: NodeId,
    pub to: NodeId,
}

impl Move {
    /// Along an edge; into the callee if it is a call.
    pub fn along(cfa: &Cfa, edge: EdgeId) -> Self {
        let data = &cfa.edges[edge];
        let entered = match data.op {
            Op::Call { callee, .. } => cfa.automaton(callee),
            _ => None,
        };
        match entered {
            Some(automaton) => Self { step: Step::Enter(edge), from: data.from, to: automaton.entry },
            None => Self { step: Step::Edge(edge), from: data.from, to: data.to },
        }
    }

    /// Back from the callee of a call; None if the edge is none.
    pub fn back(cfa: &Cfa, call: EdgeId) -> Option<Self> {
        let data = &cfa.edges[call];
        let Op::Call { callee, .. } = data.op else { return None };
        let automaton = cfa.automaton(callee)?;
        Some(Self { step: Step::Leave(call), from: automaton.exit, to: data.to })
    }

    /// What a reader sees beside an arrow.
    pub fn text(&self, cfa: &Cfa) -> String {
        let op = |edge: EdgeId| cfa.edges[edge].op.text(&cfa.program);
        match self.step {
            Step::Edge(edge) => op(edge),
            Step::Enter(call) => format!("call {}", op(call)),
            Step::Leave(call) => format!("return from {}", op(call)),
        }
    }
}
