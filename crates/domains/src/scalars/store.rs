//! A sorted map from locations to values whose copies share what they have in common.
//!
//! Variables are divided into chunks by number, and only chunks with an entry are kept. So the memory of a
//! state depends on what it says and not on the size of the program. A change copies its chunk. Two stores
//! with a common origin share most chunks, so comparing and joining them is cheap.

use super::layout::Location;
use std::cell::Cell;
use std::rc::Rc;
use summa_base::{Id, IdSet};
use summa_c::tree::VarId;
use summa_cpa::Signature;

/// Variables in a chunk.
const CHUNK: usize = 16;

/// What is known of the variables of a chunk.
#[derive(Clone, Debug)]
struct Entries<V> {
    /// Ascending, not empty.
    list: Vec<(Location, V)>,
    /// See [`Store::signature`]; None if nobody has asked since the last change.
    signature: Cell<Option<Signature>>,
}

impl<V> Entries<V> {
    fn new(list: Vec<(Location, V)>) -> Rc<Self> {
        Rc::new(Self { list, signature: Cell::new(None) })
    }
}

#[derive(Clone, Debug)]
struct Chunk<V> {
    /// Which variables it is about: those whose number divided by [`CHUNK`] is this.
    number: usize,
    entries: Rc<Entries<V>>,
}

impl<V: PartialEq> PartialEq for Chunk<V> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
            && (Rc::ptr_eq(&self.entries, &other.entries) || self.entries.list == other.entries.list)
    }
}

/// Absent locations can have any value of their type.
#[derive(Clone, Debug)]
pub struct Store<V> {
    /// Ascending by number.
    chunks: Rc<Vec<Chunk<V>>>,
}

impl<V: Copy + PartialEq> PartialEq for Store<V> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.chunks, &other.chunks) || self.chunks == other.chunks
    }
}

impl<V: Copy + PartialEq> Default for Store<V> {
    fn default() -> Self {
        Self { chunks: Rc::default() }
    }
}

impl<V: Copy + PartialEq> Store<V> {
    /// Where the chunk is, or where it would have to be.
    fn find(&self, number: usize) -> Result<usize, usize> {
        self.chunks.binary_search_by_key(&number, |chunk| chunk.number)
    }

    /// The entries of the variable's chunk.
    fn around(&self, var: VarId) -> &[(Location, V)] {
        self.find(var.index() / CHUNK).map_or(&[], |at| &self.chunks[at].entries.list)
    }

    pub fn get(&self, location: Location) -> Option<V> {
        let entries = self.around(location.var);
        entries.binary_search_by_key(&location, |entry| entry.0).ok().map(|i| entries[i].1)
    }

    /// The entries of one variable, ascending.
    pub fn of_var(&self, var: VarId) -> &[(Location, V)] {
        let entries = self.around(var);
        let start = entries.partition_point(|entry| entry.0.var < var);
        let end = entries.partition_point(|entry| entry.0.var <= var);
        &entries[start..end]
    }

    pub fn iter(&self) -> impl Iterator<Item = (Location, V)> + '_ {
        self.chunks.iter().flat_map(|chunk| chunk.entries.list.iter().copied())
    }

    pub fn set(&mut self, location: Location, value: V) {
        let number = location.var.index() / CHUNK;
        match self.find(number) {
            Err(at) => {
                let entries = Entries::new(vec![(location, value)]);
                Rc::make_mut(&mut self.chunks).insert(at, Chunk { number, entries });
            }
            Ok(at) => match self.chunks[at].entries.list.binary_search_by_key(&location, |entry| entry.0) {
                Ok(i) if self.chunks[at].entries.list[i].1 == value => {}
                Ok(i) => self.entries_mut(at)[i].1 = value,
                Err(i) => self.entries_mut(at).insert(i, (location, value)),
            },
        }
    }

    fn entries_mut(&mut self, at: usize) -> &mut Vec<(Location, V)> {
        let entries = Rc::make_mut(&mut Rc::make_mut(&mut self.chunks)[at].entries);
        entries.signature.set(None);
        &mut entries.list
    }

    pub fn forget(&mut self, location: Location) {
        if self.get(location).is_some() {
            self.retain(location.var, |at| at != location);
        }
    }

    pub fn forget_var(&mut self, var: VarId) {
        if !self.of_var(var).is_empty() {
            self.retain(var, |at| at.var != var);
        }
    }

    /// Of the variable's chunk.
    fn retain(&mut self, var: VarId, keep: impl Fn(Location) -> bool) {
        let Ok(at) = self.find(var.index() / CHUNK) else { return };
        self.entries_mut(at).retain(|entry| keep(entry.0));
        if self.chunks[at].entries.list.is_empty() {
            Rc::make_mut(&mut self.chunks).remove(at);
        }
    }

    /// The entries of these variables; chunks all of which stays are shared.
    pub fn restricted(&self, vars: &IdSet<VarId>) -> Self {
        let kept = |chunk: &Chunk<V>| {
            let stays = |entry: &&(Location, V)| vars.contains(entry.0.var);
            let count = chunk.entries.list.iter().filter(stays).count();
            match count {
                0 => None,
                all if all == chunk.entries.list.len() => Some(chunk.clone()),
                _ => {
                    let list = chunk.entries.list.iter().filter(stays).copied().collect();
                    Some(Chunk { number: chunk.number, entries: Entries::new(list) })
                }
            }
        };
        Self { chunks: Rc::new(self.chunks.iter().filter_map(kept).collect()) }
    }

    /// The store without these variables, and then the entries of `other`, with what `both` makes of the two
    /// where both have a value; None forgets. Chunks that come from one of the two are shared.
    pub fn overwritten(
        &self,
        without: &IdSet<VarId>,
        other: &Self,
        both: &mut dyn FnMut(Location, V, V) -> Option<V>,
    ) -> Self {
        let mut chunks = Vec::with_capacity(self.chunks.len().max(other.chunks.len()));
        let mut theirs = other.chunks.iter().peekable();
        for ours in self.chunks.iter() {
            while let Some(chunk) = theirs.next_if(|chunk| chunk.number < ours.number) {
                chunks.push(chunk.clone());
            }
            let theirs = theirs.next_if(|chunk| chunk.number == ours.number);
            let stays = |entry: &(Location, V)| !without.contains(entry.0.var);
            let is_touched = theirs.is_some() || !ours.entries.list.iter().all(stays);
            if !is_touched {
                chunks.push(ours.clone());
                continue;
            }
            let mut list: Vec<(Location, V)> =
                ours.entries.list.iter().copied().filter(|entry| stays(entry)).collect();
            if let Some(theirs) = theirs.filter(|_| list.is_empty()) {
                chunks.push(theirs.clone());
                continue;
            }
            for &(at, value) in theirs.into_iter().flat_map(|chunk| &chunk.entries.list) {
                match list.binary_search_by_key(&at, |entry| entry.0) {
                    Err(place) => list.insert(place, (at, value)),
                    Ok(place) => match both(at, list[place].1, value) {
                        Some(value) => list[place].1 = value,
                        None => {
                            list.remove(place);
                        }
                    },
                }
            }
            if list == ours.entries.list {
                chunks.push(ours.clone());
            } else if !list.is_empty() {
                chunks.push(Chunk { number: ours.number, entries: Entries::new(list) });
            }
        }
        chunks.extend(theirs.cloned());
        Self { chunks: Rc::new(chunks) }
    }

    /// The signature of what `of` says of the chunks' entries, which must be the same function each time:
    /// shared chunks remember theirs.
    pub fn signature(&self, of: impl Fn(&[(Location, V)]) -> Signature) -> Signature {
        self.chunks.iter().fold(Signature::default(), |all, chunk| {
            let known = chunk.entries.signature.get();
            let own = known.unwrap_or_else(|| of(&chunk.entries.list));
            chunk.entries.signature.set(Some(own));
            // A chunk of which nothing is said must leave no trace: a state without it may cover this one.
            if own == Signature::default() { all } else { all.and(own) }
        })
    }

    /// The locations that both have, with the value that `both` makes of the two; None forgets.
    pub fn combine(&self, other: &Self, both: &mut dyn FnMut(Location, V, V) -> Option<V>) -> Self {
        if Rc::ptr_eq(&self.chunks, &other.chunks) {
            return self.clone();
        }
        let mut chunks = Vec::with_capacity(self.chunks.len().min(other.chunks.len()));
        let mut theirs = other.chunks.iter().peekable();
        for ours in self.chunks.iter() {
            while theirs.next_if(|chunk| chunk.number < ours.number).is_some() {}
            let Some(theirs) = theirs.next_if(|chunk| chunk.number == ours.number) else { continue };
            let entries = combined(&ours.entries, &theirs.entries, both);
            if !entries.list.is_empty() {
                chunks.push(Chunk { number: ours.number, entries });
            }
        }
        Self { chunks: Rc::new(chunks) }
    }

    /// Does every location that `wider` has have a value here for which `is_within` holds?
    pub fn is_within(&self, wider: &Self, is_within: &dyn Fn(V, V) -> bool) -> bool {
        if Rc::ptr_eq(&self.chunks, &wider.chunks) {
            return true;
        }
        let mut ours = self.chunks.iter().peekable();
        wider.chunks.iter().all(|theirs| {
            while ours.next_if(|chunk| chunk.number < theirs.number).is_some() {}
            let Some(ours) = ours.next_if(|chunk| chunk.number == theirs.number) else { return false };
            Rc::ptr_eq(&ours.entries, &theirs.entries)
                || is_each_within(&ours.entries.list, &theirs.entries.list, is_within)
        })
    }
}

fn combined<V: Copy + PartialEq>(
    a: &Rc<Entries<V>>,
    b: &Rc<Entries<V>>,
    both: &mut dyn FnMut(Location, V, V) -> Option<V>,
) -> Rc<Entries<V>> {
    if Rc::ptr_eq(a, b) {
        return a.clone();
    }
    let mut combined = Vec::with_capacity(a.list.len().min(b.list.len()));
    let mut rest = &b.list[..];
    for &(location, value) in &a.list {
        rest = &rest[rest.partition_point(|entry| entry.0 < location)..];
        if let Some(&(found, with)) = rest.first()
            && found == location
        {
            combined.extend(both(location, value, with).map(|value| (location, value)));
        }
    }
    if combined == b.list { b.clone() } else { Entries::new(combined) }
}

fn is_each_within<V: Copy>(
    ours: &[(Location, V)],
    wider: &[(Location, V)],
    is_within: &dyn Fn(V, V) -> bool,
) -> bool {
    let find = |at: Location| ours.binary_search_by_key(&at, |entry| entry.0).ok().map(|i| ours[i].1);
    wider.iter().all(|&(at, wide)| find(at).is_some_and(|value| is_within(value, wide)))
}
