//! The reached states in partitions by [`Key`], and in each partition indices for merging and coverage.
//!
//! Merge and stop look at one partition only. Still, if merge^sep keeps many states apart, asking `stop` for
//! every state of a partition makes an exploration quadratic. A [`Signature`] excludes most of these states.
//! A covering state either says the same, and is found by its hash, or it says less, and then all its marks
//! are among those of the covered state. The marks of all states of one size are stored side by side, so that
//! looking through them costs about a nanosecond for each. Likewise `merge` is only asked for states that
//! agree on everything that no merge changes.

use crate::cpa::{Key, Signature};
use crate::reached::ArgId;
use std::collections::BTreeMap;
use summa_base::{FxHashMap, IdVec, define_id};

define_id! {
    /// A partition: equal keys have equal numbers.
    PartitionId = "p";
}

/// The place of a state in the partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub(crate) partition: PartitionId,
    pub(crate) signature: Signature,
}

#[derive(Debug, Default)]
struct Partition {
    key: Key,
    /// All states, oldest first.
    states: Vec<ArgId>,
    by_kept: FxHashMap<u64, Vec<ArgId>>,
    by_hash: FxHashMap<u64, Vec<ArgId>>,
    by_size: BTreeMap<u32, Marked>,
}

/// States with their marks, oldest first.
#[derive(Debug, Default)]
struct Marked {
    states: Vec<ArgId>,
    marks: Vec<u128>,
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

    /// The states of the partition with which one of this place can be merged, oldest first.
    pub(crate) fn mergeable(&self, place: Place) -> &[ArgId] {
        self.partitions[place.partition].by_kept.get(&place.signature.kept).map_or(&[], Vec::as_slice)
    }

    /// All states of the partition that can cover a state with this signature, the most promising first.
    pub(crate) fn candidates(&self, place: Place) -> impl Iterator<Item = ArgId> + '_ {
        let (partition, signature) = (&self.partitions[place.partition], place.signature);
        let equal = partition.by_hash.get(&signature.hash).into_iter().flatten();
        let smaller = partition.by_size.range(..signature.size);
        equal.chain(smaller.flat_map(move |(_, marked)| marked.within(signature.marks))).copied()
    }

    pub(crate) fn insert(&mut self, place: Place, id: ArgId) {
        let (partition, signature) = (&mut self.partitions[place.partition], place.signature);
        insert(&mut partition.states, id);
        insert(partition.by_kept.entry(signature.kept).or_default(), id);
        insert(partition.by_hash.entry(signature.hash).or_default(), id);
        let marked = partition.by_size.entry(signature.size).or_default();
        if let Some(at) = insert(&mut marked.states, id) {
            marked.marks.insert(at, signature.marks);
        }
    }

    pub(crate) fn remove(&mut self, place: Place, id: ArgId) {
        let (partition, signature) = (&mut self.partitions[place.partition], place.signature);
        remove(&mut partition.states, id);
        remove_from(&mut partition.by_kept, signature.kept, id);
        remove_from(&mut partition.by_hash, signature.hash, id);
        if let Some(marked) = partition.by_size.get_mut(&signature.size)
            && let Some(at) = remove(&mut marked.states, id)
        {
            marked.marks.remove(at);
        }
    }
}

impl Marked {
    /// The states with no other marks than these.
    fn within(&self, marks: u128) -> impl Iterator<Item = &ArgId> {
        let pairs = self.marks.iter().zip(&self.states);
        pairs.filter(move |(theirs, _)| *theirs & !marks == 0).map(|(_, id)| id)
    }
}

/// Keeps the order by age. The place of the new state; None if it is there already. Mostly it is the
/// youngest.
fn insert(states: &mut Vec<ArgId>, id: ArgId) -> Option<usize> {
    let at = states.binary_search(&id).err()?;
    states.insert(at, id);
    Some(at)
}

/// The place from which the state was taken, if it was there.
fn remove(states: &mut Vec<ArgId>, id: ArgId) -> Option<usize> {
    let at = states.binary_search(&id).ok()?;
    states.remove(at);
    Some(at)
}

/// The same for an index, which forgets a hash with its last state.
fn remove_from(index: &mut FxHashMap<u64, Vec<ArgId>>, hash: u64, id: ArgId) {
    if let Some(states) = index.get_mut(&hash) {
        remove(states, id);
        if states.is_empty() {
            index.remove(&hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_base::Id;

    /// Several bits share a mark.
    fn marks(set: u64) -> u128 {
        u128::from(set & 15 | set >> 4)
    }

    /// States are sets of bits, which are covered by their subsets: what is found in the index is what a
    /// plain scan finds.
    #[test]
    fn the_indices_lose_no_covering_state_and_none_to_merge() {
        let mut seed = 1u64;
        let mut draw = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        let place = |partitions: &mut Partitions, set: u64| Place {
            partition: partitions.number(&vec![(set >> 8) as u32]),
            signature: Signature {
                size: (set & 255).count_ones(),
                hash: set & 255,
                marks: marks(set & 255),
                kept: set & 3,
            },
        };
        let (mut partitions, mut sets, mut found) = (Partitions::default(), Vec::new(), 0);
        for _ in 0..3_000 {
            let set = draw(1 << 9);
            let at = place(&mut partitions, set);
            let covers = |id: &ArgId| {
                let other: u64 = sets[id.index()];
                other >> 8 == set >> 8 && other & 255 & !set == 0
            };
            let plain: Vec<ArgId> = partitions.of(at.partition).iter().copied().filter(covers).collect();
            let mut indexed: Vec<ArgId> = partitions.candidates(at).filter(covers).collect();
            indexed.sort_unstable();
            assert_eq!(plain, indexed);
            let agrees = |id: &ArgId| sets[id.index()] & 3 == set & 3;
            let plain: Vec<ArgId> = partitions.of(at.partition).iter().copied().filter(agrees).collect();
            assert_eq!(plain, partitions.mergeable(at));
            found += plain.len();
            partitions.insert(at, ArgId::from_index(sets.len()));
            sets.push(set);
            // Some leave again.
            let gone = draw(sets.len() as u64) as usize;
            if draw(3) == 0 {
                let at = place(&mut partitions, sets[gone]);
                partitions.remove(at, ArgId::from_index(gone));
            }
        }
        assert!(found > 10_000);
    }

    #[test]
    fn the_signature_of_a_pair_rules_out_no_coverage() {
        let part = |set: u64| Signature { size: set.count_ones(), hash: set, marks: marks(set), kept: 0 };
        let pair = |set: u64| part(set & 7).and(part(set >> 3));
        for a in 0..64u64 {
            for b in 0..64u64 {
                let is_covered = b & !a == 0;
                assert!(!is_covered || pair(a).may_be_covered_by(pair(b)), "{a:b} {b:b}");
            }
        }
    }
}
