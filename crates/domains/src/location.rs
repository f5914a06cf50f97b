//! The location domain 𝕃: where control is. It knows which edges leave a location. The call stack knows how
//! calls return.

use crate::portable::{node, read_node};
use crate::registry::{Configured, NoSettings, Setup};
use crate::says::Says;
use serde_json::Value as Json;
use summa_bam::{CacheKey, Reducer, Side, Storable};
use summa_cfa::{Cfa, NodeId};
use summa_cpa::{Arrival, Cpa, Key, Misfit, Move, Portable, Stop};
use summa_facts::blocks::Block;

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

/// A location means the same inside and outside.
impl Reducer for Location<'_> {
    fn reduce(&mut self, _: &Block, entry: &NodeId) -> Result<NodeId, Stop> {
        Ok(*entry)
    }

    fn reduce_precision(&mut self, _: &Block, (): &()) {}

    fn expand(&mut self, _: &Block, _: &NodeId, _: &NodeId, exit: &NodeId) -> Result<NodeId, Stop> {
        Ok(*exit)
    }

    fn cache_key(&mut self, _: &Block, reduced: &NodeId, (): &(), key: &mut CacheKey) {
        key.push(summa_base::Id::index(*reduced) as u64);
    }

    fn widen(&mut self, _: &Block, before: &NodeId, now: &NodeId, _: Side) -> Result<NodeId, Stop> {
        only_equal(before, now, "a block that is entered at several locations")
    }
}

/// The upper bound of two states for domains in which only equal states have one.
pub(crate) fn only_equal<S: Clone + PartialEq>(before: &S, now: &S, otherwise: &str) -> Result<S, Stop> {
    if before == now { Ok(before.clone()) } else { Err(Stop::GaveUp(otherwise.to_owned())) }
}

impl Portable for Location<'_> {
    fn save(&self, state: &NodeId) -> Result<Json, Misfit> {
        Ok(node(self.cfa, *state))
    }

    fn load(&mut self, saved: &Json) -> Result<NodeId, Misfit> {
        read_node(self.cfa, saved)
    }
}

impl Storable for Location<'_> {}

impl Says<'_> for Location<'_> {
    fn is_telling(&self, _: &NodeId) -> bool {
        false
    }
}

impl<'a> Configured<'a> for Location<'a> {
    const NAME: &'static str = "location";
    const WHAT: &'static str = "where control is";
    const IS_ESSENTIAL: bool = true;
    type Settings = NoSettings;

    fn make(_: &NoSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        Ok(Self { cfa: setup.cfa })
    }
}
