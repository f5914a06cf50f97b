//! A sorted map from locations to values whose copies share what they have in common.
//!
//! Variables are cut into chunks by number; a change copies its chunk. Two stores that come from each other mostly have the
//! same chunks, so that comparing and joining them looks at little.

use super::layout::Location;
use std::rc::Rc;
use summa_base::Id;
use summa_c::tree::VarId;

/// Variables in a chunk.
const CHUNK: usize = 16;

type Chunk<V> = Rc<Vec<(Location, V)>>;

/// Absent locations can have any value of their type.
#[derive(Clone, Debug)]
pub struct Store<V> {
    chunks: Rc<Vec<Chunk<V>>>,
}

impl<V: Copy + PartialEq> PartialEq for Store<V> {
    fn eq(&self, other: &Self) -> bool {
        let len = self.chunks.len().max(other.chunks.len());
        Rc::ptr_eq(&self.chunks, &other.chunks)
            || (0..len).all(|i| match (self.chunks.get(i), other.chunks.get(i)) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b) || a == b,
                (Some(only), None) | (None, Some(only)) => only.is_empty(),
                (None, None) => true,
            })
    }
}

impl<V: Copy + PartialEq> Default for Store<V> {
    fn default() -> Self {
        Self { chunks: Rc::default() }
    }
}

impl<V: Copy + PartialEq> Store<V> {
    fn chunk(&self, i: usize) -> &[(Location, V)] {
        self.chunks.get(i).map_or(&[], |chunk| chunk)
    }

    pub fn get(&self, location: Location) -> Option<V> {
        let chunk = self.chunk(location.var.index() / CHUNK);
        chunk.binary_search_by_key(&location, |entry| entry.0).ok().map(|i| chunk[i].1)
    }

    /// The entries of one variable, ascending.
    pub fn of_var(&self, var: VarId) -> &[(Location, V)] {
        let chunk = self.chunk(var.index() / CHUNK);
        let start = chunk.partition_point(|entry| entry.0.var < var);
        let end = chunk.partition_point(|entry| entry.0.var <= var);
        &chunk[start..end]
    }

    pub fn iter(&self) -> impl Iterator<Item = (Location, V)> + '_ {
        self.chunks.iter().flat_map(|chunk| chunk.iter().copied())
    }

    fn chunk_mut(&mut self, i: usize) -> &mut Vec<(Location, V)> {
        let chunks = Rc::make_mut(&mut self.chunks);
        if chunks.len() <= i {
            chunks.resize_with(i + 1, Rc::default);
        }
        Rc::make_mut(&mut chunks[i])
    }

    pub fn set(&mut self, location: Location, value: V) {
        if self.get(location) == Some(value) {
            return;
        }
        let chunk = self.chunk_mut(location.var.index() / CHUNK);
        match chunk.binary_search_by_key(&location, |entry| entry.0) {
            Ok(i) => chunk[i].1 = value,
            Err(i) => chunk.insert(i, (location, value)),
        }
    }

    pub fn forget(&mut self, location: Location) {
        if self.get(location).is_some() {
            self.chunk_mut(location.var.index() / CHUNK).retain(|entry| entry.0 != location);
        }
    }

    pub fn forget_var(&mut self, var: VarId) {
        if !self.of_var(var).is_empty() {
            self.chunk_mut(var.index() / CHUNK).retain(|entry| entry.0.var != var);
        }
    }

    /// The locations that both have, with the value that `both` makes of the two; None forgets.
    pub fn combine(&self, other: &Self, both: &mut dyn FnMut(Location, V, V) -> Option<V>) -> Self {
        if Rc::ptr_eq(&self.chunks, &other.chunks) {
            return self.clone();
        }
        let pairs = self.chunks.iter().zip(other.chunks.iter());
        let chunks = pairs.map(|(a, b)| {
            if Rc::ptr_eq(a, b) {
                return a.clone();
            }
            let mut combined = Vec::with_capacity(a.len().min(b.len()));
            let mut rest = &b[..];
            for &(location, value) in a.iter() {
                rest = &rest[rest.partition_point(|entry| entry.0 < location)..];
                if let Some(&(found, with)) = rest.first()
                    && found == location
                {
                    combined.extend(both(location, value, with).map(|value| (location, value)));
                }
            }
            if combined == **b { b.clone() } else { Rc::new(combined) }
        });
        Self { chunks: Rc::new(chunks.collect()) }
    }

    /// Does every location that `wider` has have a value here for which `is_within` holds?
    pub fn is_within(&self, wider: &Self, is_within: &dyn Fn(V, V) -> bool) -> bool {
        Rc::ptr_eq(&self.chunks, &wider.chunks)
            || wider.chunks.iter().enumerate().all(|(i, theirs)| {
                self.chunks.get(i).is_some_and(|ours| Rc::ptr_eq(ours, theirs))
                    || theirs
                        .iter()
                        .all(|&(at, wide)| self.get(at).is_some_and(|value| is_within(value, wide)))
            })
    }
}
