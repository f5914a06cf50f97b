//! Byte-level memory: objects with addresses, checked access, lifetimes.
//!
//! Every access names the pointer it starts from (`origin`) and the address it ends at; if `origin` lies in a
//! live object, the access must stay inside that object. Limits: bounds are those of whole objects, as in
//! SV-COMP. An access that runs from one member of a struct into the next is not detected.

pub(crate) mod address;
mod leaks;
pub(crate) mod object;
pub(crate) mod shared;

use crate::outcome::FaultKind;
use address::{NULL_ZONE, Owner, Space};
use object::{Object, ObjectKind, ObjectOrigin};
use shared::SharedByte;
use summa_c::types::DataModel;
use summa_cfa::{EdgeId, environment};

/// Why memory refused; limits are not faults of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Fault(FaultKind),
    MemoryLimit,
    AddressLimit,
    /// The extent of the object is unknown.
    Unsized,
}

impl From<FaultKind> for Refusal {
    fn from(kind: FaultKind) -> Self {
        Self::Fault(kind)
    }
}

/// A place inside an object, checked for some number of bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) object: u32,
    pub(crate) at: usize,
}

#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub(crate) space: Space,
    pub(crate) objects: Vec<Object>,
    /// Numbers of dead objects, to be used again.
    free: Vec<u32>,
    /// Objects of the environment that the program has pointers to.
    environment: Vec<u32>,
    /// Bytes in live objects with some overhead for each.
    used: u64,
    pub(crate) limit: u64,
    pub(crate) pointer_size: usize,
    /// Bytes that were made or copied as a whole: work that no step counts.
    pub(crate) moved: u64,
    /// The shares of copied indeterminate bytes.
    shared: Vec<SharedByte>,
}

/// The cost of an object besides its bytes.
const OBJECT_OVERHEAD: u64 = 128;

impl Memory {
    pub(crate) fn new(model: DataModel, limit: u64) -> Self {
        let pointer_size = model.pointer_size() as usize;
        Self {
            space: Space::new(model),
            objects: Vec::new(),
            free: Vec::new(),
            environment: Vec::new(),
            used: 0,
            limit,
            pointer_size,
            moved: 0,
            shared: Vec::new(),
        }
    }

    /// A pointer value reduced to the width of pointers.
    #[inline]
    pub(crate) fn wrap(&self, address: u64) -> u64 {
        if self.pointer_size == 4 { u64::from(address as u32) } else { address }
    }

    /// The memory at the start of a run: the same static objects, every byte zero. None if they need more
    /// than the limit.
    pub(crate) fn instantiate(&self, limit: u64) -> Option<Self> {
        if self.used() > limit {
            return None;
        }
        let objects = self.objects.iter().map(Object::made).collect();
        let (space, free, environment) = (self.space.clone(), self.free.clone(), Vec::new());
        Some(Self { objects, limit, space, free, environment, shared: Vec::new(), ..*self })
    }

    /// A static object. [`Memory::instantiate`] makes its bytes for every run. Bytes of large objects cost
    /// nothing until they are used.
    pub(crate) fn plan_static(&mut self, size: u64, kind: ObjectKind, origin: ObjectOrigin) -> Option<u64> {
        let number = self.objects.len() as u32;
        if size > self.limit {
            return None;
        }
        let base = self.space.allocate(number, size)?;
        let mut object = Object::new(base, 0, kind, origin, true);
        object.planned = size as usize;
        self.objects.push(object);
        self.used += size + OBJECT_OVERHEAD;
        Some(base)
    }

    pub(crate) fn used(&self) -> u64 {
        self.used + self.space.overhead() + (self.shared.len() * size_of::<SharedByte>()) as u64
    }

    /// A new object; gives its address.
    pub(crate) fn allocate(
        &mut self,
        size: u64,
        kind: ObjectKind,
        origin: ObjectOrigin,
        zeroed: bool,
    ) -> Result<u64, Refusal> {
        if size > self.limit || self.used() + size + OBJECT_OVERHEAD > self.limit {
            return Err(Refusal::MemoryLimit);
        }
        let number = self.free.last().copied().unwrap_or(self.objects.len() as u32);
        let base = self.space.allocate(number, size).ok_or(Refusal::AddressLimit)?;
        let object = Object::new(base, size as usize, kind, origin, zeroed);
        match self.free.pop() {
            Some(free) => self.objects[free as usize] = object,
            None => self.objects.push(object),
        }
        self.used += size + OBJECT_OVERHEAD;
        self.moved += size;
        Ok(base)
    }

    /// The program got a pointer from outside: if it leads to an object of the environment, that is there
    /// from now on.
    pub(crate) fn take_from_environment(&mut self, address: u64, edge: EdgeId) {
        let Some(base) = environment::object_at(address) else { return };
        if self.environment_object(base).is_none() {
            let origin = ObjectOrigin::Allocation(edge);
            let object = Object::new(base, environment::SIZE as usize, ObjectKind::Static, origin, true);
            self.environment.push(self.objects.len() as u32);
            self.objects.push(object);
            self.used += environment::SIZE + OBJECT_OVERHEAD;
        }
    }

    fn environment_object(&self, base: u64) -> Option<u32> {
        self.environment.iter().copied().find(|&number| self.objects[number as usize].base == base)
    }

    /// Ends the life of the object at `base`, which must be its start.
    pub(crate) fn kill(&mut self, base: u64) {
        let Some(number) = self.space.live(base) else { return };
        let object = &mut self.objects[number as usize];
        let size = object.data.len() as u64;
        let heap = object.kind == ObjectKind::Heap;
        object.data = Vec::new();
        object.unwritten = None;
        let base = object.base;
        self.space.release(base, size, heap);
        self.used -= size + OBJECT_OVERHEAD;
        self.free.push(number);
    }

    /// Checks that `size` bytes at `address`, reached from the pointer `origin`, belong to one live object.
    #[inline]
    pub(crate) fn resolve(&self, origin: u64, address: u64, size: usize) -> Result<Spot, Refusal> {
        if let Some(number) = self.space.live(origin) {
            let object = &self.objects[number as usize];
            let at = address.wrapping_sub(object.base);
            let len = object.data.len() as u64;
            if at <= len && len - at >= size as u64 {
                return Ok(Spot { object: number, at: at as usize });
            }
        }
        self.resolve_slowly(origin, address, size)
    }

    /// The pointer itself lies in no live object, or the access leaves it.
    #[cold]
    fn resolve_slowly(&self, origin: u64, address: u64, size: usize) -> Result<Spot, Refusal> {
        // A pointer inside its object (or at its end) must stay there. One that already points elsewhere,
        // such as before an array, is judged by its target.
        if origin < NULL_ZONE {
            return Err(FaultKind::NullDereference.into());
        }
        if let Some(base) = environment::object_at(address)
            && let Some(object) = self.environment_object(base)
        {
            let at = address - base;
            let is_inside = environment::SIZE - at >= size as u64;
            let spot = Spot { object, at: at as usize };
            return if is_inside { Ok(spot) } else { Err(FaultKind::OutOfBounds.into()) };
        }
        if let Some(number) = self.space.live(origin) {
            let object = &self.objects[number as usize];
            if origin.wrapping_sub(object.base) <= object.data.len() as u64 {
                return Err(if object.is_unsized { Refusal::Unsized } else { FaultKind::OutOfBounds.into() });
            }
        }
        match self.space.owner(address) {
            Owner::Live(number) => {
                let object = &self.objects[number as usize];
                let at = address.wrapping_sub(object.base);
                let len = object.data.len() as u64;
                if at <= len && len - at >= size as u64 {
                    Ok(Spot { object: number, at: at as usize })
                } else if object.is_unsized {
                    Err(Refusal::Unsized)
                } else {
                    Err(FaultKind::OutOfBounds.into())
                }
            }
            Owner::FreedHeap => Err(FaultKind::UseAfterFree.into()),
            Owner::DeadStack => Err(FaultKind::UseAfterScope.into()),
            Owner::Nobody if address < NULL_ZONE => Err(FaultKind::NullDereference.into()),
            Owner::Nobody => Err(FaultKind::InvalidDereference.into()),
        }
    }

    /// Like [`Memory::resolve`], for writing.
    #[inline]
    pub(crate) fn resolve_for_write(&self, origin: u64, address: u64, size: usize) -> Result<Spot, Refusal> {
        let spot = self.resolve(origin, address, size)?;
        if self.objects[spot.object as usize].read_only {
            return Err(FaultKind::WriteToConstant.into());
        }
        Ok(spot)
    }

    #[inline]
    pub(crate) fn object(&self, spot: Spot) -> &Object {
        &self.objects[spot.object as usize]
    }

    #[inline]
    pub(crate) fn object_mut(&mut self, spot: Spot) -> &mut Object {
        &mut self.objects[spot.object as usize]
    }

    /// The live object that owns `address`, whether or not the address is inside it.
    pub(crate) fn owner_of(&self, address: u64) -> Option<&Object> {
        self.space.live(address).map(|number| &self.objects[number as usize])
    }

    /// Copies bytes; those that are indeterminate are the same in both places from now on. Ranges may
    /// overlap.
    pub(crate) fn copy(&mut self, to: Spot, from: Spot, size: usize) {
        if size == 0 || (to.object == from.object && to.at == from.at) {
            return;
        }
        self.moved += size as u64;
        let holes = self.holes(from, size);
        if to.object == from.object {
            let object = &mut self.objects[to.object as usize];
            object.data.copy_within(from.at..from.at + size, to.at);
        } else {
            let (low, high) = (to.object.min(from.object) as usize, to.object.max(from.object) as usize);
            let (front, back) = self.objects.split_at_mut(high);
            let (a, b) = (&mut front[low], &mut back[0]);
            let (target, source) = if to.object < from.object { (a, &*b) } else { (b, &*a) };
            target.data[to.at..to.at + size].copy_from_slice(&source.data[from.at..from.at + size]);
        }
        let target = &mut self.objects[to.object as usize];
        target.mark_written(to.at, size);
        self.fill_holes(to, &holes);
    }

    /// `free(address)` without the null case.
    pub(crate) fn release_heap(&mut self, address: u64) -> Result<(), Refusal> {
        match self.space.owner(address) {
            Owner::Live(number) => {
                let object = &self.objects[number as usize];
                if object.kind != ObjectKind::Heap || object.base != address {
                    return Err(FaultKind::InvalidFree.into());
                }
                self.kill(address);
                Ok(())
            }
            Owner::FreedHeap => Err(FaultKind::DoubleFree.into()),
            Owner::DeadStack | Owner::Nobody => Err(FaultKind::InvalidFree.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::shared::Wanted;
    use super::*;
    use summa_base::Id;
    use summa_cfa::EdgeId;

    const ORIGIN: fn() -> ObjectOrigin = || ObjectOrigin::Allocation(EdgeId::from_index(0));

    fn heap(memory: &mut Memory, size: u64) -> u64 {
        memory.allocate(size, ObjectKind::Heap, ORIGIN(), false).unwrap()
    }

    #[test]
    fn bounds_lifetimes_and_frees() {
        for model in [DataModel::Ilp32, DataModel::Lp64] {
            let mut memory = Memory::new(model, 1 << 20);
            let (p, q) = (heap(&mut memory, 40), heap(&mut memory, 40));
            let fault = |r: Result<Spot, Refusal>| r.map(|s| s.at);
            assert_eq!(fault(memory.resolve(p, p + 36, 4)), Ok(36));
            assert_eq!(fault(memory.resolve(p, p + 37, 4)), Err(FaultKind::OutOfBounds.into()));
            // From `p`, even the other object is out of bounds; from an address of its own it is not.
            assert_eq!(fault(memory.resolve(p, q, 4)), Err(FaultKind::OutOfBounds.into()));
            assert_eq!(fault(memory.resolve(q, q, 4)), Ok(0));
            // One before the array, and back.
            assert_eq!(fault(memory.resolve(p.wrapping_sub(4), p, 4)), Ok(0));
            assert_eq!(fault(memory.resolve(0, 8, 4)), Err(FaultKind::NullDereference.into()));
            assert_eq!(memory.release_heap(p + 4), Err(FaultKind::InvalidFree.into()));
            assert_eq!(memory.release_heap(p), Ok(()));
            assert_eq!(memory.release_heap(p), Err(FaultKind::DoubleFree.into()));
            assert_eq!(fault(memory.resolve(p, p, 1)), Err(FaultKind::UseAfterFree.into()));
            assert!(memory.allocate(1 << 20, ObjectKind::Heap, ORIGIN(), false) == Err(Refusal::MemoryLimit));
        }
    }

    #[test]
    fn copies_carry_what_is_unwritten() {
        let mut memory = Memory::new(DataModel::Lp64, 1 << 20);
        let (p, q) = (heap(&mut memory, 8), heap(&mut memory, 8));
        let (a, b) = (memory.resolve(p, p, 8).unwrap(), memory.resolve(q, q, 8).unwrap());
        memory.object_mut(a).write(0, 4, 0x1234);
        memory.object_mut(b).write(0, 8, u64::MAX);
        memory.copy(b, a, 8);
        assert_eq!(memory.object(b).read(0, 4), 0x1234);
        assert!(memory.object(b).is_written(0, 4) && !memory.object(b).is_written(4, 1));
        // A read of the copy decides what the original is.
        assert_eq!((memory.settle(b, 8), memory.peek(a, 8)), (Wanted::Input, None));
        memory.decide(b, 8, 0x7766_5544_0000_0000);
        assert_eq!(memory.peek(a, 8), Some(0x7766_5544_0000_1234));
        assert_eq!(memory.settle(a, 8), Wanted::Nothing);
        assert!(memory.object(a).is_written(0, 8));
        let shifted = Spot { at: 2, ..b };
        memory.copy(shifted, b, 4);
        assert_eq!(memory.object(b).read(2, 4), 0x1234);
    }
}
