//! A vector for many versions: copies are cheap. A write copies one chunk, the chunk's group and the list of
//! groups, so versions share what they have in common.

use std::rc::Rc;

/// Small enough that a write copies little, large enough that the lists are short.
const CHUNK: usize = 32;
/// Chunks in a group.
const GROUP: usize = 64;

type Chunk<T> = Rc<Vec<T>>;
type Group<T> = Rc<Vec<Chunk<T>>>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chunks<T> {
    groups: Rc<Vec<Group<T>>>,
}

impl<T: Copy + Eq> Chunks<T> {
    pub(crate) fn new(items: &[T]) -> Self {
        let group = |items: &[T]| Rc::new(items.chunks(CHUNK).map(|chunk| Rc::new(chunk.to_vec())).collect());
        Self { groups: Rc::new(items.chunks(CHUNK * GROUP).map(group).collect()) }
    }

    pub(crate) fn get(&self, index: usize) -> T {
        self.groups[index / (CHUNK * GROUP)][index / CHUNK % GROUP][index % CHUNK]
    }

    pub(crate) fn set(&mut self, index: usize, item: T) {
        if self.get(index) != item {
            let groups = Rc::make_mut(&mut self.groups);
            let chunks = Rc::make_mut(&mut groups[index / (CHUNK * GROUP)]);
            Rc::make_mut(&mut chunks[index / CHUNK % GROUP])[index % CHUNK] = item;
        }
    }

    /// The positions where two vectors of one length differ, with both items.
    pub(crate) fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = (usize, T, T)> + 'a {
        let groups = self.groups.iter().zip(other.groups.iter()).enumerate();
        let chunks = groups.filter(|(_, (a, b))| !Rc::ptr_eq(a, b)).flat_map(|(group, (a, b))| {
            let chunks = a.iter().zip(b.iter()).enumerate();
            chunks.map(move |(chunk, pair)| (group * GROUP + chunk, pair))
        });
        chunks.filter(|(_, (a, b))| !Rc::ptr_eq(a, b)).flat_map(|(number, (a, b))| {
            let items = a.iter().zip(b.iter()).enumerate();
            items.filter(|(_, (a, b))| a != b).map(move |(i, (&a, &b))| (number * CHUNK + i, a, b))
        })
    }
}
