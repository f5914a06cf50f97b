//! Sets of ids: bits in words. Only words with a bit are kept.
//!
//! The memory of a set depends on its elements, not on the largest id of the program. A function's variables
//! and locations have consecutive numbers, so a set of them is a few neighbouring words, and a word is found
//! by its distance from the first one. If there are gaps, it is found by binary search.

use crate::Id;
use std::marker::PhantomData;

const BITS: usize = 64;

/// Iterates in ascending order. Equal sets compare equal whatever their history.
#[derive(Clone)]
pub struct IdSet<I> {
    /// Ascending by number; no word is zero.
    words: Vec<(u32, u64)>,
    ids: PhantomData<I>,
}

/// The number of the word of an id, and the id's bit in it.
fn split<I: Id>(id: I) -> (u32, u64) {
    let index = id.index();
    (u32::try_from(index / BITS).unwrap_or(u32::MAX), 1 << (index % BITS))
}

impl<I: Id> IdSet<I> {
    pub fn new() -> Self {
        Self { words: Vec::new(), ids: PhantomData }
    }

    /// The position of the word, or where it would have to be inserted.
    #[inline]
    fn find(&self, number: u32) -> Result<usize, usize> {
        let (Some(&(first, _)), Some(&(last, _))) = (self.words.first(), self.words.last()) else {
            return Err(0);
        };
        let without_gaps = number.wrapping_sub(first) as usize;
        match self.words.get(without_gaps) {
            Some(&(found, _)) if found == number => Ok(without_gaps),
            _ if number > last => Err(self.words.len()),
            _ => self.words.binary_search_by_key(&number, |word| word.0),
        }
    }

    /// Adds `id`; true if it was not there.
    pub fn insert(&mut self, id: I) -> bool {
        let (number, bit) = split(id);
        match self.find(number) {
            Ok(at) => {
                let is_new = self.words[at].1 & bit == 0;
                self.words[at].1 |= bit;
                is_new
            }
            Err(at) => {
                self.words.insert(at, (number, bit));
                true
            }
        }
    }

    /// Removes `id`; true if it was there.
    pub fn remove(&mut self, id: I) -> bool {
        let (number, bit) = split(id);
        let Ok(at) = self.find(number) else { return false };
        let was_there = self.words[at].1 & bit != 0;
        self.words[at].1 &= !bit;
        if self.words[at].1 == 0 {
            self.words.remove(at);
        }
        was_there
    }

    #[inline]
    pub fn contains(&self, id: I) -> bool {
        let (number, bit) = split(id);
        self.find(number).is_ok_and(|at| self.words[at].1 & bit != 0)
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Adds every element of `other`; true if that added any.
    pub fn union_with(&mut self, other: &Self) -> bool {
        let mut is_changed = false;
        let mut new: Vec<(u32, u64)> = Vec::new();
        for &(number, theirs) in &other.words {
            match self.find(number) {
                Ok(at) => {
                    is_changed |= theirs & !self.words[at].1 != 0;
                    self.words[at].1 |= theirs;
                }
                Err(_) => new.push((number, theirs)),
            }
        }
        let Some(&(first, _)) = new.first() else { return is_changed };
        let is_behind = self.words.last().is_none_or(|&(last, _)| last < first);
        self.words.append(&mut new);
        if !is_behind {
            // Two ascending runs, which the sort recognises.
            self.words.sort_by_key(|word| word.0);
        }
        true
    }

    /// Removes every element of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.mask(other, |theirs| !theirs);
    }

    /// Keeps only the elements of `other`.
    pub fn intersect_with(&mut self, other: &Self) {
        self.mask(other, |theirs| theirs);
    }

    /// Masks every word with what `kept` returns for the other set's word.
    fn mask(&mut self, other: &Self, kept: impl Fn(u64) -> u64) {
        self.words.retain_mut(|(number, mine)| {
            *mine &= kept(other.word(*number));
            *mine != 0
        });
    }

    fn word(&self, number: u32) -> u64 {
        self.find(number).map_or(0, |at| self.words[at].1)
    }

    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.len() <= other.words.len()
            && self.words.iter().all(|&(number, mine)| mine & !other.word(number) == 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().flat_map(|&(number, bits)| {
            let mut rest = bits;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    I::from_index(number as usize * BITS + bit)
                })
            })
        })
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl<I: Id> Eq for IdSet<I> {}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<It: IntoIterator<Item = I>>(iter: It) -> Self {
        let mut set = Self::new();
        set.extend(iter);
        set
    }
}

impl<I: Id> Extend<I> for IdSet<I> {
    fn extend<It: IntoIterator<Item = I>>(&mut self, iter: It) {
        for id in iter {
            self.insert(id);
        }
    }
}

impl<I: Id> std::fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[allow(unreachable_pub, reason = "the macro makes public ids")]
    mod ids {
        crate::define_id! { TestId = "t"; }
    }
    use ids::TestId;

    fn t(i: usize) -> TestId {
        TestId::from_index(i)
    }

    #[test]
    fn sets_compare_by_content() {
        let mut a: IdSet<TestId> = [t(1), t(200)].into_iter().collect();
        a.remove(t(200));
        let b: IdSet<TestId> = [t(1)].into_iter().collect();
        assert_eq!(a, b);
        assert_eq!(format!("{a:?}"), "{t1}");
    }

    #[test]
    fn union_reports_change() {
        let mut a: IdSet<TestId> = [t(1)].into_iter().collect();
        let b: IdSet<TestId> = [t(1), t(64)].into_iter().collect();
        assert!(a.union_with(&b));
        assert!(!a.union_with(&b));
        assert_eq!(a.iter().collect::<Vec<_>>(), [t(1), t(64)]);
        assert_eq!(a.len(), 2);
    }

    /// The same operations on sorted sets of numbers; ids lie close together, or have wide gaps between them.
    #[test]
    fn behaves_as_a_sorted_set() {
        let mut seed = 7u64;
        let mut draw = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for gap in [1, 50, 1000] {
            let mut sets = [(IdSet::new(), BTreeSet::new()), (IdSet::new(), BTreeSet::new())];
            for _ in 0..3000 {
                let (one, other) = if draw(2) == 0 { (0, 1) } else { (1, 0) };
                let (theirs, expected) = sets[other].clone();
                let (set, model) = &mut sets[one];
                let id = t((draw(300) * gap) as usize);
                match draw(40) {
                    0 => {
                        assert_eq!(set.union_with(&theirs), !model.is_superset(&expected));
                        model.extend(&expected);
                    }
                    1 => {
                        set.subtract(&theirs);
                        model.retain(|id| !expected.contains(id));
                    }
                    2 => {
                        set.intersect_with(&theirs);
                        model.retain(|id| expected.contains(id));
                    }
                    n if n < 28 => assert_eq!(set.insert(id), model.insert(id)),
                    _ => assert_eq!(set.remove(id), model.remove(&id)),
                }
                assert!(set.iter().eq(model.iter().copied()));
                assert_eq!(set.contains(id), model.contains(&id));
                assert_eq!(set.is_subset(&theirs), model.is_subset(&expected));
                assert_eq!(*set == theirs, *model == expected);
                assert_eq!((set.len(), set.is_empty()), (model.len(), model.is_empty()));
            }
        }
    }
}
