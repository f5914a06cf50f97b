//! A vector of which many versions are kept: copies are cheap, and a write copies one chunk and the list of chunks, so that
//! versions share what they have in common.

use std::rc::Rc;

/// Small enough that a write copies little, large enough that the list of chunks is short.
const CHUNK: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chunks<T> {
    chunks: Rc<Vec<Rc<Vec<T>>>>,
}

impl<T: Copy + Eq> Chunks<T> {
    pub(crate) fn new(items: &[T]) -> Self {
        Self { chunks: Rc::new(items.chunks(CHUNK).map(|chunk| Rc::new(chunk.to_vec())).collect()) }
    }

    pub(crate) fn get(&self, index: usize) -> T {
        self.chunks[index / CHUNK][index % CHUNK]
    }

    pub(crate) fn set(&mut self, index: usize, item: T) {
        if self.get(index) != item {
            let chunks = Rc::make_mut(&mut self.chunks);
            Rc::make_mut(&mut chunks[index / CHUNK])[index % CHUNK] = item;
        }
    }

    /// The positions where two vectors of one length differ, with both items.
    pub(crate) fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, T, T)> + 'a {
        let pairs = self.chunks.iter().zip(other.chunks.iter()).enumerate();
        pairs.filter(|(_, (a, b))| !Rc::ptr_eq(a, b)).flat_map(|(number, (a, b))| {
            let items = a.iter().zip(b.iter()).enumerate();
            items.filter(|(_, (a, b))| a != b).map(move |(i, (&a, &b))| (number * CHUNK + i, a, b))
        })
    }
}
