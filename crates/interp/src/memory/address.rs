//! The address space: which object owns an address.
//!
//! Pointers are plain numbers, so casts, unions, `memcpy` and comparisons need no special care. What C calls
//! provenance comes from the placement of objects. The space is cut into *granules*, each owned by at most
//! one object:
//! - LP64: a granule is 4 GiB. Every object has granules of its own, so a pointer that leaves its object by
//!   less than that reaches no other object. Provenance is exact for all practical purposes.
//! - ILP32: a granule is 64 bytes. Objects are separated by unused granules (4 KiB while there is plenty of
//!   room, less later). Accesses `p[i]` are checked against the object of `p` itself (see `Memory::resolve`),
//!   so only a pointer that was moved far out of its object in several steps can reach another one.
//!
//! Addresses of dead objects are not used again until the whole space has been used once (ILP32: 3.7 GiB).

use summa_c::types::DataModel;

/// Who owns a granule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Never used.
    Nobody,
    /// An object whose lifetime ended by `free`.
    FreedHeap,
    /// An object whose lifetime ended with its scope.
    DeadStack,
    Live(u32),
}

const NOBODY: u32 = 0;
const FREED_HEAP: u32 = 1;
const DEAD_STACK: u32 = 2;
const FIRST_LIVE: u32 = 3;

/// Addresses below belong to no object: dereferencing them is dereferencing null.
pub(crate) const NULL_ZONE: u64 = 4096;
/// Functions have addresses from here on, this far apart.
const FUNCTIONS: u64 = 0x0040_0000;
const FUNCTION_STRIDE: u64 = 16;

#[derive(Clone, Debug)]
pub(crate) struct Space {
    model: DataModel,
    shift: u32,
    base: u64,
    /// Number of granules in the space.
    limit: usize,
    owners: Vec<u32>,
    cursor: usize,
    wrapped: bool,
}

impl Space {
    pub(crate) fn new(model: DataModel) -> Self {
        let (shift, base, end) = match model {
            DataModel::Ilp32 => (6, 0x1000_0000u64, 0xFC00_0000u64),
            DataModel::Lp64 => (32, 1 << 32, 1 << 62),
        };
        let limit = ((end - base) >> shift) as usize;
        Self { model, shift, base, limit, owners: Vec::new(), cursor: 0, wrapped: false }
    }

    #[inline]
    fn granule(&self, address: u64) -> usize {
        (address.wrapping_sub(self.base) >> self.shift) as usize
    }

    /// The live object that owns the granule of `address`; the fast path of every access.
    #[inline]
    pub(crate) fn live(&self, address: u64) -> Option<u32> {
        match self.owners.get(self.granule(address)) {
            Some(&owner) if owner >= FIRST_LIVE => Some(owner - FIRST_LIVE),
            _ => None,
        }
    }

    pub(crate) fn owner(&self, address: u64) -> Owner {
        match self.owners.get(self.granule(address)).copied().unwrap_or(NOBODY) {
            NOBODY => Owner::Nobody,
            FREED_HEAP => Owner::FreedHeap,
            DEAD_STACK => Owner::DeadStack,
            live => Owner::Live(live - FIRST_LIVE),
        }
    }

    /// Bytes that the table of owners occupies.
    pub(crate) fn overhead(&self) -> u64 {
        4 * self.owners.len() as u64
    }

    /// Finds room for `size` bytes and gives it to `object`. None: the address space is exhausted.
    pub(crate) fn allocate(&mut self, object: u32, size: u64) -> Option<u64> {
        let granules = usize::try_from((size >> self.shift) + 1).ok()?;
        let first = self.find_room(granules)?;
        let end = first + granules;
        if self.owners.len() < end {
            self.owners.resize(end, NOBODY);
        }
        self.owners[first..end].fill(object + FIRST_LIVE);
        self.cursor = end + self.gap(size);
        let start = self.base + ((first as u64) << self.shift);
        Some(match self.model {
            DataModel::Ilp32 => start,
            // Small objects start at different places of their windows, so that the low halves of their
            // addresses differ too (programs hash them).
            DataModel::Lp64 if size < 1 << 31 => start + 0x1_0000 + ((first as u64 * 64) & 0x0FFF_FFFF),
            DataModel::Lp64 => start,
        })
    }

    /// Unused granules after an object.
    fn gap(&self, size: u64) -> usize {
        match self.model {
            DataModel::Lp64 => 0,
            DataModel::Ilp32 => {
                let used = self.cursor as u64 * 64;
                let bytes = if used < 1 << 29 { 4096 + size.min(1 << 20) } else { 64 };
                (bytes / 64) as usize
            }
        }
    }

    fn find_room(&mut self, granules: usize) -> Option<usize> {
        if !self.wrapped && self.cursor + granules <= self.limit {
            return Some(self.cursor);
        }
        // The space has been used once: take dead granules, oldest first, leaving one free granule on each
        // side.
        self.wrapped = true;
        let mut from = if self.cursor + granules <= self.limit { self.cursor } else { 0 };
        let mut turned = from == 0;
        loop {
            if from + granules + 1 > self.limit {
                if turned {
                    return None;
                }
                turned = true;
                from = 0;
                continue;
            }
            let window = from..(from + granules + 1).min(self.owners.len()).max(from);
            let taken = self.owners.get(window).unwrap_or(&[]).iter().rposition(|&o| o >= FIRST_LIVE);
            match taken {
                None => return Some(from),
                Some(last) => from += last + 2,
            }
        }
    }

    /// Ends the ownership of the object at `address`.
    pub(crate) fn release(&mut self, address: u64, size: u64, heap: bool) {
        let first = self.granule(address);
        let end = first + (size >> self.shift) as usize + 1;
        let mark = if heap { FREED_HEAP } else { DEAD_STACK };
        if let Some(owners) = self.owners.get_mut(first..end) {
            owners.fill(mark);
        }
    }
}

/// The address of the function with this number.
pub(crate) fn function_address(index: usize) -> u64 {
    FUNCTIONS + FUNCTION_STRIDE * index as u64
}

/// The number of the function at this address, if there are `count` of them.
pub(crate) fn function_at(address: u64, count: usize) -> Option<usize> {
    let offset = address.checked_sub(FUNCTIONS)?;
    let index = (offset / FUNCTION_STRIDE) as usize;
    (offset % FUNCTION_STRIDE == 0 && index < count).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_apart_and_the_dead_are_remembered() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let mut space = Space::new(model);
            let a = space.allocate(0, 100).unwrap();
            let b = space.allocate(1, 100).unwrap();
            assert_eq!(space.live(a + 99), Some(0));
            assert_eq!(space.live(b), Some(1));
            assert_ne!(space.live(a + 200), Some(1));
            assert_ne!(space.live(b - 1), Some(0));
            assert!(a.is_multiple_of(16) && b.is_multiple_of(16));
            space.release(a, 100, true);
            assert_eq!(space.owner(a + 5), Owner::FreedHeap);
            assert_eq!(space.owner(0), Owner::Nobody);
        }
    }

    #[test]
    fn the_small_space_is_reused_only_when_it_is_used_up() {
        let mut space = Space::new(DataModel::Ilp32);
        let keep = space.allocate(0, 10).unwrap();
        let first = space.allocate(1, 1 << 20).unwrap();
        space.release(first, 1 << 20, true);
        let mut seen = first;
        loop {
            let next = space.allocate(1, 1 << 20).unwrap();
            assert_ne!(next, keep);
            space.release(next, 1 << 20, true);
            if next < seen {
                break;
            }
            seen = next;
        }
        assert_eq!(space.live(keep), Some(0));
        let huge = space.allocate(2, 1 << 31).unwrap();
        assert!(space.allocate(3, 1 << 31).is_none());
        space.release(huge, 1 << 31, true);
        assert!(space.allocate(3, 1 << 31).is_some());
    }
}
