//! The waitlist: states that still have to be expanded, in an order composed of layers.
//!
//! Layers are compared one after the other; the last word has the age of the state, so that the order is total and runs
//! repeat.

use crate::rank::Rank;
use crate::reached::ArgId;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use summa_base::FxHashMap;

/// One criterion for what comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// By position in the unrolled program: joins wait for all their predecessors.
    Unrolled,
    /// States with fewer callers first.
    ShallowCalls,
    /// States with more callers first: callees are finished before their callers go on.
    DeepCalls,
    /// Older states first.
    Breadth,
    /// Younger states first.
    Depth,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Rank(Rank),
    Up(u32),
    Down(Reverse<u32>),
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    parts: Vec<Part>,
    id: ArgId,
}

#[derive(Debug)]
pub struct Waitlist {
    layers: Vec<Layer>,
    entries: BTreeSet<Entry>,
    waiting: FxHashMap<ArgId, Vec<Part>>,
}

impl Waitlist {
    pub fn new(layers: Vec<Layer>) -> Self {
        Self { layers, entries: BTreeSet::new(), waiting: FxHashMap::default() }
    }

    pub fn push(&mut self, id: ArgId, rank: &Rank) {
        if self.contains(id) {
            return;
        }
        let age = summa_base::Id::index(id) as u32;
        let part = |layer: &Layer| match layer {
            Layer::Unrolled => Part::Rank(rank.clone()),
            Layer::ShallowCalls => Part::Up(rank.call_depth()),
            Layer::DeepCalls => Part::Down(Reverse(rank.call_depth())),
            Layer::Breadth => Part::Up(age),
            Layer::Depth => Part::Down(Reverse(age)),
        };
        let parts: Vec<Part> = self.layers.iter().map(part).collect();
        self.waiting.insert(id, parts.clone());
        self.entries.insert(Entry { parts, id });
    }

    pub fn pop(&mut self) -> Option<ArgId> {
        let entry = self.entries.pop_first()?;
        self.waiting.remove(&entry.id);
        Some(entry.id)
    }

    pub fn remove(&mut self, id: ArgId) {
        if let Some(parts) = self.waiting.remove(&id) {
            self.entries.remove(&Entry { parts, id });
        }
    }

    pub fn contains(&self, id: ArgId) -> bool {
        self.waiting.contains_key(&id)
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The waiting states, first to last.
    pub fn iter(&self) -> impl Iterator<Item = ArgId> + '_ {
        self.entries.iter().map(|entry| entry.id)
    }
}
