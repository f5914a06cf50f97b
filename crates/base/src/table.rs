//! Tables indexed by typed ids: the owner of the values ([`IdVec`]), facts beside them ([`IdMap`]) and
//! adjacency lists ([`Csr`]). Sets of ids: [`crate::IdSet`].

use crate::Id;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Owns the values that ids of type `I` name; `push` makes the next id.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> IdVec<I, T> {
    pub fn new() -> Self {
        Self { items: Vec::new(), ids: PhantomData }
    }

    pub fn with_capacity(capacity: usize) -> Self {
        Self { items: Vec::with_capacity(capacity), ids: PhantomData }
    }

    pub fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.items.push(item);
        id
    }

    /// The id that the next `push` will return.
    pub fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (I, &mut T)> + ExactSizeIterator {
        self.items.iter_mut().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }
}

impl<I: Id, T> Default for IdVec<I, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

impl<I: Id, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(iter: It) -> Self {
        Self { items: iter.into_iter().collect(), ids: PhantomData }
    }
}

impl<I: Id + std::fmt::Debug, T: std::fmt::Debug> std::fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// A fact for every id; an id without an entry has the default.
#[derive(Clone, PartialEq, Eq)]
pub struct IdMap<I, T> {
    items: Vec<T>,
    default: T,
    ids: PhantomData<I>,
}

impl<I: Id, T: Clone> IdMap<I, T> {
    pub fn new(default: T) -> Self {
        Self { items: Vec::new(), default, ids: PhantomData }
    }

    /// A map that already has room for `len` ids, so that filling it never reallocates.
    pub fn with_len(len: usize, default: T) -> Self {
        Self { items: vec![default.clone(); len], default, ids: PhantomData }
    }

    pub fn set(&mut self, id: I, item: T) {
        self[id] = item;
    }

    /// Entries up to the highest id that was written.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }
}

impl<I: Id, T: Clone + Default> Default for IdMap<I, T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<I: Id, T> Index<I> for IdMap<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        self.items.get(id.index()).unwrap_or(&self.default)
    }
}

impl<I: Id, T: Clone> IndexMut<I> for IdMap<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        let index = id.index();
        if index >= self.items.len() {
            self.items.resize(index + 1, self.default.clone());
        }
        &mut self.items[index]
    }
}

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for IdMap<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))).finish()
    }
}

/// Adjacency lists in compressed form: for every `I` a slice of `T`, in the order in which the pairs came.
#[derive(Clone, Debug)]
pub struct Csr<I, T> {
    starts: Vec<u32>,
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T: Copy> Csr<I, T> {
    /// Groups `pairs` by their first part; `len` is the number of ids.
    pub fn new(len: usize, pairs: impl Iterator<Item = (I, T)> + Clone) -> Self {
        let mut starts = vec![0u32; len + 1];
        for (id, _) in pairs.clone() {
            starts[id.index() + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut items: Vec<Option<T>> = vec![None; starts[len] as usize];
        for (id, item) in pairs {
            items[next[id.index()] as usize] = Some(item);
            next[id.index()] += 1;
        }
        let items = items.into_iter().flatten().collect();
        Self { starts, items, ids: PhantomData }
    }
}

impl<I: Id, T> Index<I> for Csr<I, T> {
    type Output = [T];
    #[inline]
    fn index(&self, id: I) -> &[T] {
        &self.items[self.starts[id.index()] as usize..self.starts[id.index() + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(unreachable_pub, reason = "the macro makes public ids")]
    mod ids {
        crate::define_id! { TestId = "t"; }
    }
    use ids::TestId;

    fn t(i: usize) -> TestId {
        TestId::from_index(i)
    }

    #[test]
    fn csr_keeps_the_order_of_the_pairs() {
        let pairs = [(t(1), 'a'), (t(0), 'b'), (t(1), 'c')];
        let csr = Csr::new(3, pairs.into_iter());
        assert_eq!(&csr[t(1)], ['a', 'c']);
        assert_eq!(&csr[t(2)], [' '; 0]);
    }
}
