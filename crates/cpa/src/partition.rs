//! The reached states in partitions by [`Key`], and in each partition an index for coverage.
//!
//! Merge and stop look at one partition only. Even so, asking `stop` for every state of a partition makes an exploration
//! quadratic where merge^sep keeps many states apart. [`Signature`]s rule most of them out: a covering state is smaller than
//! the state that it covers, or as large and then with the same hash. The states that are left are all of smaller size (few
//! in practice, since states of one location know about as much) and, found by hash, most often just the same state.

use crate::cpa::{Key, Signature};
use crate::reached::ArgId;
use std::collections::BTreeMap;
use summa_base::{FxHashMap, IdVec, define_id};

define_id! {
    /// A partition: equal keys have equal numbers.
    PartitionId = "p";
}

#[derive(Debug, Default)]
struct Partition {
    key: Key,
    /// All states, oldest first.
    states: Vec<ArgId>,
    by_size: BTreeMap<u32, Vec<ArgId>>,
    by_signature: FxHashMap<Signature, Vec<ArgId>>,
}

/// Where a state belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) partition: PartitionId,
    pub(crate) signature: Signature,
}

#[derive(Debug, Default)]
pub(crate) struct Partitions {
    known: FxHashMap<Key, PartitionId>,
    partitions: IdVec<PartitionId, Partition>,
}

impl Partitions {
    /// The partition of the key, which is new if need be.
    pub(crate) fn number(&mut self, key: &Key) -> PartitionId {
        if let Some(&known) = self.known.get(key) {
            return known;
        }
        let id = self.partitions.push(Partition { key: key.clone(), ..Partition::default() });
        self.known.insert(key.clone(), id);
        id
    }

    pub(crate) fn key(&self, partition: PartitionId) -> &Key {
        &self.partitions[partition].key
    }

    /// The states with this key, oldest first.
    pub(crate) fn of_key(&self, key: &Key) -> &[ArgId] {
        self.known.get(key).map_or(&[], |&partition| self.of(partition))
    }

    pub(crate) fn of(&self, partition: PartitionId) -> &[ArgId] {
        &self.partitions[partition].states
    }

    /// All states of the partition that can cover a state with this signature, the most promising first.
    pub(crate) fn candidates(&self, place: Place) -> impl Iterator<Item = ArgId> + '_ {
        let partition = &self.partitions[place.partition];
        let equal = partition.by_signature.get(&place.signature).into_iter().flatten();
        let smaller = partition.by_size.range(..place.signature.size).flat_map(|(_, states)| states);
        equal.chain(smaller).copied()
    }

    pub(crate) fn insert(&mut self, place: Place, id: ArgId) {
        let partition = &mut self.partitions[place.partition];
        insert(&mut partition.states, id);
        insert(partition.by_size.entry(place.signature.size).or_default(), id);
        insert(partition.by_signature.entry(place.signature).or_default(), id);
    }

    pub(crate) fn remove(&mut self, place: Place, id: ArgId) {
        let partition = &mut self.partitions[place.partition];
        remove(&mut partition.states, id);
        if let Some(states) = partition.by_size.get_mut(&place.signature.size) {
            remove(states, id);
        }
        if let Some(states) = partition.by_signature.get_mut(&place.signature)
            && remove(states, id)
        {
            partition.by_signature.remove(&place.signature);
        }
    }
}

/// States mostly come in order.
fn insert(states: &mut Vec<ArgId>, id: ArgId) {
    if let Err(at) = states.binary_search(&id) {
        states.insert(at, id);
    }
}

/// Is none left?
fn remove(states: &mut Vec<ArgId>, id: ArgId) -> bool {
    if let Ok(at) = states.binary_search(&id) {
        states.remove(at);
    }
    states.is_empty()
}
