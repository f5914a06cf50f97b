//! The waitlist: states that still have to be expanded, in an order composed of layers.
//!
//! Layers are compared one after the other; the last word has the age of the state, so that the order is
//! total and runs repeat.

use crate::rank::Rank;
use crate::reached::ArgId;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use summa_base::{Id, IdSet};

/// One criterion for what comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// By position in the unrolled program: joins wait for all their predecessors.
    Unrolled,
    /// States with fewer callers first.
    ShallowCalls,
    /// States with more callers first: callees are finished before their callers continue.
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
    /// What the first layer says, apart from the others: mostly it is the only one.
    first: Option<Part>,
    others: Vec<Part>,
    id: ArgId,
}

#[derive(Debug)]
pub struct Waitlist {
    layers: Vec<Layer>,
    entries: BTreeSet<Entry>,
    waiting: IdSet<ArgId>,
}

impl Waitlist {
    pub fn new(layers: Vec<Layer>) -> Self {
        Self { layers, entries: BTreeSet::new(), waiting: IdSet::new() }
    }

    pub fn push(&mut self, id: ArgId, rank: &Rank) {
        if self.waiting.insert(id) {
            self.entries.insert(self.entry(id, rank));
        }
    }

    fn entry(&self, id: ArgId, rank: &Rank) -> Entry {
        let age = id.index() as u32;
        let part = |layer: &Layer| match layer {
            Layer::Unrolled => Part::Rank(rank.clone()),
            Layer::ShallowCalls => Part::Up(rank.call_depth()),
            Layer::DeepCalls => Part::Down(Reverse(rank.call_depth())),
            Layer::Breadth => Part::Up(age),
            Layer::Depth => Part::Down(Reverse(age)),
        };
        let mut parts = self.layers.iter().map(part);
        Entry { first: parts.next(), others: parts.collect(), id }
    }

    pub fn pop(&mut self) -> Option<ArgId> {
        let entry = self.entries.pop_first()?;
        self.waiting.remove(entry.id);
        Some(entry.id)
    }

    /// Takes the state with this rank out; false if it does not wait.
    pub fn remove(&mut self, id: ArgId, rank: &Rank) -> bool {
        let is_waiting = self.waiting.remove(id);
        if is_waiting {
            self.entries.remove(&self.entry(id, rank));
        }
        is_waiting
    }

    pub fn contains(&self, id: ArgId) -> bool {
        self.waiting.contains(id)
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
