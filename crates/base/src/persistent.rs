//! A persistent map from small numbers: a radix tree with sixteen branches per node, whose parts are shared
//! between versions.
//!
//! The keys alone determine the shape of a tree, so equal maps have equal trees. Every node knows its size
//! and a hash of its bindings. The cost of comparing two versions of a map depends on their difference, and
//! most unequal maps differ in their hash.
//!
//! Paper: Okasaki, Gill, *Fast mergeable integer maps*, 1998; here with wider nodes, because keys are dense.

use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Bits of a key that one level looks at.
const BITS: u32 = 4;

#[derive(Clone, Debug)]
pub struct Tree<V> {
    root: Option<Rc<Node<V>>>,
    /// Levels above the leaves.
    height: u32,
}

#[derive(Clone, Debug)]
struct Node<V> {
    /// Which of the sixteen slots are used.
    present: u16,
    /// Bindings below.
    len: u32,
    /// The sum of the hashes of the bindings below.
    hash: u64,
    /// See [`Tree::marks`]; 0 if not computed yet. Changing a node resets it.
    marks: Cell<u128>,
    body: Body<V>,
}

#[derive(Clone, Debug)]
enum Body<V> {
    Leaf(Vec<V>),
    Inner(Vec<Rc<Node<V>>>),
}

fn slot(key: u32, level: u32) -> u16 {
    1 << ((key >> (BITS * level)) & 15)
}

/// Where the slot's content is in the list of those that are used.
fn position(present: u16, slot: u16) -> usize {
    (present & (slot - 1)).count_ones() as usize
}

fn hash_of<V: Hash>(key: u32, value: &V) -> u64 {
    let mut hasher = crate::FxHasher::default();
    key.hash(&mut hasher);
    value.hash(&mut hasher);
    // Sums of these are compared: spread the bits once more (SplitMix64).
    let mut z = hasher.finish();
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl<V: Clone + Eq + Hash> Node<V> {
    fn empty(level: u32) -> Self {
        let body = if level == 0 { Body::Leaf(Vec::new()) } else { Body::Inner(Vec::new()) };
        Self { present: 0, len: 0, hash: 0, marks: Cell::new(0), body }
    }

    fn get(&self, level: u32, key: u32) -> Option<&V> {
        let slot = slot(key, level);
        if self.present & slot == 0 {
            return None;
        }
        let at = position(self.present, slot);
        match &self.body {
            Body::Leaf(values) => values.get(at),
            Body::Inner(children) => children.get(at)?.get(level - 1, key),
        }
    }

    fn insert(&mut self, level: u32, key: u32, value: V) {
        self.marks.set(0);
        let slot = slot(key, level);
        let (at, is_new) = (position(self.present, slot), self.present & slot == 0);
        match &mut self.body {
            Body::Leaf(values) => {
                let hash = hash_of(key, &value);
                if is_new {
                    values.insert(at, value);
                    self.len += 1;
                } else {
                    self.hash = self.hash.wrapping_sub(hash_of(key, &values[at]));
                    values[at] = value;
                }
                self.hash = self.hash.wrapping_add(hash);
            }
            Body::Inner(children) => {
                if is_new {
                    children.insert(at, Rc::new(Self::empty(level - 1)));
                }
                let child = Rc::make_mut(&mut children[at]);
                let (len, hash) = (child.len, child.hash);
                child.insert(level - 1, key, value);
                self.len = self.len - len + child.len;
                self.hash = self.hash.wrapping_sub(hash).wrapping_add(child.hash);
            }
        }
        self.present |= slot;
    }

    /// The key is there.
    fn remove(&mut self, level: u32, key: u32) {
        self.marks.set(0);
        let slot = slot(key, level);
        let at = position(self.present, slot);
        let is_gone = match &mut self.body {
            Body::Leaf(values) => {
                self.hash = self.hash.wrapping_sub(hash_of(key, &values[at]));
                values.remove(at);
                true
            }
            Body::Inner(children) => {
                let child = Rc::make_mut(&mut children[at]);
                let hash = child.hash;
                child.remove(level - 1, key);
                self.hash = self.hash.wrapping_sub(hash).wrapping_add(child.hash);
                let is_empty = child.len == 0;
                if is_empty {
                    children.remove(at);
                }
                is_empty
            }
        };
        self.len -= 1;
        if is_gone {
            self.present &= !slot;
        }
    }

    fn marks(&self, prefix: u32) -> u128 {
        if self.marks.get() != 0 {
            return self.marks.get();
        }
        let slots = (0..16u32).filter(|i| self.present >> i & 1 == 1);
        let marks = match &self.body {
            Body::Leaf(values) => {
                let mark = |(i, value): (u32, &V)| 1 << (hash_of(prefix << BITS | i, value) >> 57);
                slots.zip(values).map(mark).fold(0, |all: u128, mark: u128| all | mark)
            }
            Body::Inner(children) => {
                let marks = slots.zip(children).map(|(i, child)| child.marks(prefix << BITS | i));
                marks.fold(0, |all, marks| all | marks)
            }
        };
        self.marks.set(marks);
        marks
    }

    /// Is every binding of `self` in `other`?
    fn is_within(self: &Rc<Self>, other: &Rc<Self>) -> bool {
        if Rc::ptr_eq(self, other) {
            return true;
        }
        if self.len > other.len || self.present & !other.present != 0 {
            return false;
        }
        if self.len == other.len && self.hash != other.hash {
            return false;
        }
        let theirs = |mine: usize| position(other.present, nth_slot(self.present, mine));
        match (&self.body, &other.body) {
            (Body::Leaf(a), Body::Leaf(b)) => a.iter().enumerate().all(|(i, value)| *value == b[theirs(i)]),
            (Body::Inner(a), Body::Inner(b)) => {
                a.iter().enumerate().all(|(i, child)| child.is_within(&b[theirs(i)]))
            }
            _ => false,
        }
    }

    /// The keys whose bindings `other` does not have.
    fn missing_in(self: &Rc<Self>, other: Option<&Rc<Self>>, prefix: u32, missing: &mut Vec<u32>) {
        if other.is_some_and(|other| Rc::ptr_eq(self, other)) {
            return;
        }
        let slots = (0..16u32).filter(|i| self.present >> i & 1 == 1);
        for (at, i) in slots.enumerate() {
            let key = prefix << BITS | i;
            let theirs = other.filter(|other| other.present >> i & 1 == 1);
            let theirs = theirs.map(|other| (&other.body, position(other.present, 1 << i)));
            match (&self.body, theirs) {
                (Body::Leaf(values), Some((Body::Leaf(others), place))) if values[at] == others[place] => {}
                (Body::Leaf(_), _) => missing.push(key),
                (Body::Inner(children), Some((Body::Inner(others), place))) => {
                    children[at].missing_in(Some(&others[place]), key, missing);
                }
                (Body::Inner(children), _) => children[at].missing_in(None, key, missing),
            }
        }
    }

    fn collect<'n>(&'n self, prefix: u32, found: &mut Vec<(u32, &'n V)>) {
        let slots = (0..16u32).filter(|i| self.present >> i & 1 == 1);
        match &self.body {
            Body::Leaf(values) => {
                found.extend(slots.zip(values).map(|(i, value)| (prefix << BITS | i, value)))
            }
            Body::Inner(children) => {
                slots.zip(children).for_each(|(i, child)| child.collect(prefix << BITS | i, found));
            }
        }
    }
}

/// The `n`-th used slot.
fn nth_slot(present: u16, n: usize) -> u16 {
    let mut rest = present;
    for _ in 0..n {
        rest &= rest.wrapping_sub(1);
    }
    rest & rest.wrapping_neg()
}

impl<V: Clone + Eq + Hash> Tree<V> {
    /// An empty map for keys below `keys`. Only maps made for the same number of keys are compared.
    pub fn new(keys: usize) -> Self {
        let mut height = 0;
        while (keys.saturating_sub(1) >> (BITS * (height + 1))) != 0 {
            height += 1;
        }
        Self { root: None, height }
    }

    /// An empty map for the same keys.
    pub fn emptied(&self) -> Self {
        Self { root: None, height: self.height }
    }

    pub fn len(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.len as usize)
    }

    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// The same for equal maps.
    pub fn hash(&self) -> u64 {
        self.root.as_ref().map_or(0, |root| root.hash)
    }

    /// One of 128 bits for each binding: a map has all the marks of the maps that are within it.
    pub fn marks(&self) -> u128 {
        self.root.as_ref().map_or(0, |root| root.marks(0))
    }

    #[inline]
    pub fn get(&self, key: u32) -> Option<&V> {
        self.root.as_ref()?.get(self.height, key)
    }

    pub fn insert(&mut self, key: u32, value: V) {
        if self.get(key) == Some(&value) {
            return;
        }
        let root = self.root.get_or_insert_with(|| Rc::new(Node::empty(self.height)));
        Rc::make_mut(root).insert(self.height, key, value);
    }

    pub fn remove(&mut self, key: u32) {
        if self.get(key).is_none() {
            return;
        }
        if let Some(root) = &mut self.root {
            Rc::make_mut(root).remove(self.height, key);
            if root.len == 0 {
                self.root = None;
            }
        }
    }

    /// Is every binding of this map in the other one?
    pub fn is_within(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(a), Some(b)) => a.is_within(b),
        }
    }

    /// Keeps the bindings that the other map has too.
    pub fn intersect(&mut self, other: &Self) {
        let mut missing = Vec::new();
        if let Some(root) = &self.root {
            root.missing_in(other.root.as_ref(), 0, &mut missing);
        }
        missing.into_iter().for_each(|key| self.remove(key));
    }

    pub fn retain(&mut self, keep: impl Fn(u32, &V) -> bool) {
        let dropped: Vec<u32> =
            self.iter().filter(|(key, value)| !keep(*key, value)).map(|(key, _)| key).collect();
        dropped.into_iter().for_each(|key| self.remove(key));
    }

    /// Ascending by key.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &V)> {
        let mut found = Vec::with_capacity(self.len());
        if let Some(root) = &self.root {
            root.collect(0, &mut found);
        }
        found.into_iter()
    }
}

impl<V: Clone + Eq + Hash> PartialEq for Tree<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.hash() == other.hash() && self.is_within(other)
    }
}

impl<V: Clone + Eq + Hash> Eq for Tree<V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// SplitMix64.
    fn draw(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = *seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn agree(tree: &Tree<u64>, map: &BTreeMap<u32, u64>) {
        assert_eq!(tree.len(), map.len());
        assert!(tree.iter().map(|(k, v)| (k, *v)).eq(map.iter().map(|(k, v)| (*k, *v))));
    }

    #[test]
    fn behaves_as_a_sorted_map_and_old_versions_stay() {
        for keys in [1usize, 7, 16, 17, 300, 5000] {
            let mut seed = keys as u64;
            let (mut tree, mut map) = (Tree::new(keys), BTreeMap::new());
            let mut versions = Vec::new();
            for round in 0..600 {
                let (key, value) = ((draw(&mut seed) % keys as u64) as u32, draw(&mut seed) % 4);
                if draw(&mut seed).is_multiple_of(3) {
                    tree.remove(key);
                    map.remove(&key);
                } else {
                    tree.insert(key, value);
                    map.insert(key, value);
                }
                assert_eq!(tree.get(key), map.get(&key));
                if round % 50 == 0 {
                    versions.push((tree.clone(), map.clone()));
                }
            }
            agree(&tree, &map);
            versions.iter().for_each(|(tree, map)| agree(tree, map));
            for (a, map_a) in &versions {
                for (b, map_b) in &versions {
                    assert_eq!(a == b, map_a == map_b);
                    let is_within = map_a.iter().all(|(key, value)| map_b.get(key) == Some(value));
                    assert_eq!(a.is_within(b), is_within);
                    assert!(!is_within || a.marks() & !b.marks() == 0);
                    let mut common = a.clone();
                    common.intersect(b);
                    let expected = map_a.iter().filter(|(key, value)| map_b.get(key) == Some(value));
                    agree(&common, &expected.map(|(k, v)| (*k, *v)).collect());
                    let mut odd = a.clone();
                    odd.retain(|key, _| key % 2 == 1);
                    agree(&odd, &map_a.iter().filter(|(k, _)| *k % 2 == 1).map(|(k, v)| (*k, *v)).collect());
                }
            }
        }
    }

    #[test]
    fn the_history_of_a_map_does_not_show() {
        let (mut a, mut b) = (Tree::new(1000), Tree::new(1000));
        (0..1000).for_each(|key| a.insert(key, key));
        (0..1000).rev().for_each(|key| b.insert(key, key + 1));
        (0..1000).for_each(|key| b.insert(key, key));
        assert_eq!(a, b);
        (1..1000).for_each(|key| a.remove(key));
        let mut c = Tree::new(1000);
        c.insert(0, 0);
        assert_eq!(a, c);
        assert_eq!(a.hash(), c.hash());
        assert_eq!(a.marks(), c.marks());
    }
}
