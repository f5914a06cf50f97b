//! Union-find with path halving and union by rank.

use crate::{Id, IdVec};

/// Disjoint sets of `I`s.
#[derive(Clone, Default)]
pub struct UnionFind<I: Id> {
    parents: IdVec<I, I>,
    ranks: Vec<u8>,
}

impl<I: Id> UnionFind<I> {
    pub fn new() -> Self {
        Self { parents: IdVec::new(), ranks: Vec::new() }
    }

    /// A new set with one element.
    pub fn push(&mut self) -> I {
        let id = self.parents.next_id();
        self.ranks.push(0);
        self.parents.push(id)
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The representative, shortening the way there.
    pub fn find(&mut self, mut id: I) -> I {
        while self.parents[id] != id {
            let grandparent = self.parents[self.parents[id]];
            self.parents[id] = grandparent;
            id = grandparent;
        }
        id
    }

    /// The representative, without changing anything.
    pub fn root(&self, mut id: I) -> I {
        while self.parents[id] != id {
            id = self.parents[id];
        }
        id
    }

    /// Joins two sets. Returns `Some((kept, absorbed))` representatives if they were different.
    pub fn union(&mut self, a: I, b: I) -> Option<(I, I)> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return None;
        }
        let (kept, absorbed) = if self.ranks[a.index()] >= self.ranks[b.index()] { (a, b) } else { (b, a) };
        if self.ranks[kept.index()] == self.ranks[absorbed.index()] {
            self.ranks[kept.index()] += 1;
        }
        self.parents[absorbed] = kept;
        Some((kept, absorbed))
    }
}
