//! Which allocated objects can still be reached when the program ends.
//!
//! Every aligned word of a reachable object that is an address inside a heap object counts as a pointer to
//! it. So a number that happens to equal such an address hides a leak. That is rare, because addresses are
//! unlike ordinary numbers.

use super::Memory;
use super::object::ObjectKind;

/// Allocated objects at the end of a run, by number.
pub(crate) struct Leaks {
    pub(crate) unfreed: usize,
    /// The objects among them to which no pointer leads.
    pub(crate) lost: usize,
}

impl Memory {
    /// Looks for heap objects; `roots` are pointer values outside of objects (slots of live variables).
    /// Objects on the stack are roots if they are still alive, as they are after `exit` but not after `main`
    /// returned.
    pub(crate) fn leaks(&self, roots: impl Iterator<Item = u64>) -> Leaks {
        let mut alive = vec![true; self.objects.len()];
        self.free.iter().for_each(|&number| alive[number as usize] = false);
        let is_heap = |number: usize| alive[number] && self.objects[number].kind == ObjectKind::Heap;
        let mut reached = vec![false; self.objects.len()];
        let mut work: Vec<usize> = (0..self.objects.len()).filter(|&n| alive[n] && !is_heap(n)).collect();
        let visit = |value: u64, reached: &mut Vec<bool>, work: &mut Vec<usize>| {
            let Some(number) = self.space.live(value) else { return };
            let (number, object) = (number as usize, &self.objects[number as usize]);
            // One past the end still points to the object.
            let inside = value.wrapping_sub(object.base) <= object.data.len() as u64;
            if inside && is_heap(number) && !std::mem::replace(&mut reached[number], true) {
                work.push(number);
            }
        };
        roots.for_each(|value| visit(value, &mut reached, &mut work));
        while let Some(number) = work.pop() {
            let object = &self.objects[number];
            for at in (0..object.data.len()).step_by(self.pointer_size.min(4)) {
                if at + self.pointer_size <= object.data.len() {
                    visit(object.read(at, self.pointer_size), &mut reached, &mut work);
                }
            }
        }
        let heap = (0..self.objects.len()).filter(|&n| is_heap(n));
        let (mut unfreed, mut lost) = (0, 0);
        for number in heap {
            unfreed += 1;
            lost += usize::from(!reached[number]);
        }
        Leaks { unfreed, lost }
    }
}
