//! How many entries a recursive function gets: single cases while they are few, one range from then on.
//!
//! The cases of a variable are its sets of values in entries that are equal in everything else. `ack(2, n)`
//! for more and more values of n becomes one entry, while `ack(3, n)` for a few values stays as many. A
//! counter that took many values is no longer distinguished by its value.
//!
//! The engine `interval+linear-bam-rec` makes a method of this. Calls are split into cases of few values
//! ([`super::arguments`]), and each case is computed once. Entries with too many cases become one, whose
//! summary is a linear equation modulo 2³² ([`crate::linear`]). Equations and intervals exchange facts
//! ([`crate::reductions`]). For checks of arithmetic, the ranges of entries grow in steps (`entry_steps`), so
//! that a bound from an equation can stop them before they hold all numbers of the type. Measured: no
//! overflow in Ackermann's function up to (3, 23), whose results are up to 2²⁶, takes four seconds with the
//! check of its proof.

use super::layout::Location;
use super::set::{NumberSet, Shape};
use super::{Scalars, State};
use summa_base::{FxHashMap, FxHashSet, Id};
use summa_cfa::NodeId;
use summa_facts::blocks::Block;

/// The values of one variable that were seen at the entry of one block, grouped by the values of the others.
type Groups<V> = FxHashMap<(NodeId, Location, Vec<u64>), Group<V>>;

pub(super) struct Cases<V> {
    groups: Groups<V>,
}

struct Group<V> {
    seen: FxHashSet<[i128; 3]>,
    /// Around all that was seen.
    range: V,
}

impl<V> Default for Cases<V> {
    fn default() -> Self {
        Self { groups: FxHashMap::default() }
    }
}

impl<V: NumberSet> Scalars<'_, V> {
    /// Replaces the values of variables that have had too many cases by a range around all of them.
    pub(super) fn limit_cases(&mut self, block: &Block, reduced: &mut State<V>) {
        let entries: Vec<(Location, V)> = reduced.store.iter().collect();
        for (at, set) in entries {
            let Some(scalar) = self.layout.at(at) else { continue };
            let others = reduced.store.iter().filter(|entry| entry.0 != at).flat_map(code).collect();
            let group = self
                .cases
                .groups
                .entry((block.entry, at, others))
                .or_insert_with(|| Group { seen: FxHashSet::default(), range: set });
            let most = self.options.entry_cases;
            let thresholds = if self.options.entry_steps { &self.steps } else { &self.thresholds };
            if let Some(range) = group.with(set, scalar.shape, most, thresholds) {
                self.put(&mut reduced.store, at, range);
            }
        }
    }
}

impl<V: NumberSet> Group<V> {
    /// The range to be used instead of a set, if there have been too many.
    fn with(&mut self, set: V, shape: Shape, most: usize, thresholds: &[i128]) -> Option<V> {
        if self.seen.len() <= most {
            self.seen.insert(set.code());
            self.range = self.range.join(set);
        }
        if self.seen.len() <= most {
            return None;
        }
        if !set.is_subset(self.range) {
            self.range = self.range.widen(self.range.join(set), shape, thresholds);
        }
        Some(self.range)
    }
}

/// Numbers that distinguish an entry from all others.
fn code<V: NumberSet>((at, set): (Location, V)) -> impl Iterator<Item = u64> {
    let numbers = set.code().into_iter().flat_map(|number| [number as u64, (number >> 64) as u64]);
    [at.var.index() as u64, at.offset].into_iter().chain(numbers)
}
