//! The location domain 𝕃: where control is. Knows which edges leave a location; how calls return is the call stack's business.

use summa_cfa::{Cfa, NodeId};
use summa_cpa::{Arrival, Cpa, Key, Move, Stop};

pub struct Location<'a> {
    pub cfa: &'a Cfa,
}

impl Cpa for Location<'_> {
    type State = NodeId;
    type Precision = ();

    fn initial(&mut self, node: NodeId) -> (NodeId, ()) {
        (node, ())
    }

    fn moves(&self, state: &NodeId, moves: &mut Vec<Move>) {
        moves.extend(self.cfa.leaving(*state).iter().map(|&edge| Move::along(self.cfa, edge)));
    }

    fn transfer(&mut self, state: &NodeId, (): &(), by: Move) -> Result<Vec<NodeId>, Stop> {
        Ok(if by.from == *state { vec![by.to] } else { Vec::new() })
    }

    fn merge(&mut self, _: &NodeId, _: &NodeId, (): &(), _: &Arrival) -> Result<Option<NodeId>, Stop> {
        Ok(None)
    }

    fn never_merges(&self) -> bool {
        true
    }

    fn stop(&mut self, state: &NodeId, reached: &NodeId, (): &()) -> Result<bool, Stop> {
        Ok(state == reached)
    }

    fn prec(&mut self, state: NodeId, (): &(), _: &Arrival) -> Result<Option<(NodeId, ())>, Stop> {
        Ok(Some((state, ())))
    }

    fn key(&self, state: &NodeId, key: &mut Key) {
        key.push(summa_base::Id::index(*state) as u32);
    }

    fn show(&self, state: &NodeId) -> String {
        let node = &self.cfa.nodes[*state];
        format!("{state} in {}", self.cfa.program.func_name(node.function))
    }
}
