//! The store that points-to unifies: *slots* hold values, *objects* consist of slots.
//!
//! Each slot has at most one slot that its values point to; where two would be needed, they are joined, and
//! with them what they point to. A flow from a slot that holds no address yet waits until it does
//! (Steensgaard's conditional join), so numbers that never hold addresses join nothing.
//!
//! An object keeps its parts apart as long as everything known about it fits one type. It *collapses* into
//! one slot when a use contradicts that: casts, copies with another layout, and pointer arithmetic in other
//! steps than whole objects. A pointer to an element of a member array may also be a cast pointer to the
//! whole object, and may run over the whole object. If a pointer is followed before anything is known to flow
//! into it, its target is an *assumed* object. It may turn out to be a part of something larger, and is then
//! embedded there.

mod join;

use super::layout::{Position, Shapes};
use crate::layout::{has_tail, tail};
use summa_base::{IdVec, UnionFind, define_id};
use summa_c::types::{Type, TypeId};

define_id! {
    SlotId = "s";
    ObjectId = "o";
}

#[derive(Default)]
struct Slot {
    /// None for the values of expressions, which lie nowhere.
    home: Option<(ObjectId, u64)>,
    points_to: Option<SlotId>,
    /// Slots that get what this one points to as soon as it points to something.
    flows_to: Vec<SlotId>,
    /// The value comes from integer arithmetic: it may be any address in the object that it points into.
    is_smeared: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// The object was not accessed yet. It has one slot, and nothing flows in or out of it.
    Untyped,
    /// One or more objects of this type, side by side.
    Typed(TypeId),
    Collapsed,
}

struct Object {
    shape: Shape,
    /// By canonical offset, ascending; one at 0 unless typed.
    slots: Vec<(u64, SlotId)>,
    is_assumed: bool,
    /// For assumed objects: pointer arithmetic walks over them.
    is_stepped: bool,
    /// The array at its end is used beyond its length.
    is_tailed: bool,
    /// Any number of bytes was copied from its start or to it: it cannot turn out to be a part of something
    /// larger.
    is_copied: bool,
}

enum Pending {
    Join(SlotId, SlotId),
    Flow { from: SlotId, to: SlotId },
    Collapse(ObjectId),
}

pub(super) struct Heap<'a> {
    pub(super) layouts: Shapes<'a>,
    slots: UnionFind<SlotId>,
    slot_data: IdVec<SlotId, Slot>,
    objects: UnionFind<ObjectId>,
    object_data: IdVec<ObjectId, Object>,
    tasks: Vec<Pending>,
    /// Memory that unseen code knows: it points to itself.
    pub(super) unknown: SlotId,
}

impl<'a> Heap<'a> {
    pub(super) fn new(layouts: Shapes<'a>) -> Self {
        let first = summa_base::Id::from_index(0);
        let mut heap = Self {
            layouts,
            slots: UnionFind::new(),
            slot_data: IdVec::new(),
            objects: UnionFind::new(),
            object_data: IdVec::new(),
            tasks: Vec::new(),
            unknown: first,
        };
        let object = heap.new_object(Shape::Collapsed);
        heap.unknown = heap.slot_at(object, 0);
        let unknown = heap.unknown;
        heap.point(unknown, unknown);
        heap
    }

    // ---- making things ----

    pub(super) fn new_object(&mut self, shape: Shape) -> ObjectId {
        let object = self.objects.push();
        self.object_data.push(Object {
            shape: Shape::Untyped,
            slots: Vec::new(),
            is_assumed: false,
            is_stepped: false,
            is_tailed: false,
            is_copied: false,
        });
        let slot = self.new_slot(Some((object, 0)));
        self.object_data[object].slots.push((0, slot));
        match shape {
            Shape::Untyped => {}
            Shape::Typed(ty) => self.give_type(object, ty),
            Shape::Collapsed => self.object_data[object].shape = Shape::Collapsed,
        }
        object
    }

    /// The value of an expression.
    pub(super) fn new_value(&mut self) -> SlotId {
        self.new_slot(None)
    }

    /// The value of an integer computation.
    pub(super) fn new_smeared_value(&mut self) -> SlotId {
        let slot = self.new_slot(None);
        self.slot_data[slot].is_smeared = true;
        slot
    }

    fn new_slot(&mut self, home: Option<(ObjectId, u64)>) -> SlotId {
        self.slot_data.push(Slot { home, ..Slot::default() });
        self.slots.push()
    }

    // ---- looking ----

    pub(super) fn slot_at(&mut self, object: ObjectId, offset: u64) -> SlotId {
        let object = self.objects.find(object);
        let slots = &self.object_data[object].slots;
        let after = slots.partition_point(|&(start, _)| start <= offset);
        let slot = slots[after.saturating_sub(1)].1;
        self.slots.find(slot)
    }

    /// The object and the position of a slot, if the slot belongs to an object.
    fn home(&mut self, slot: SlotId) -> Option<(ObjectId, u64)> {
        let slot = self.slots.find(slot);
        let (object, offset) = self.slot_data[slot].home?;
        Some((self.objects.find(object), offset))
    }

    pub(super) fn target(&mut self, value: SlotId) -> Option<SlotId> {
        let value = self.slots.find(value);
        let target = self.slot_data[value].points_to?;
        Some(self.slots.find(target))
    }

    /// The slots of an object with their canonical offsets, ascending.
    pub(super) fn parts_of(&mut self, object: ObjectId) -> Vec<(u64, SlotId)> {
        let object = self.objects.find(object);
        let slots = self.object_data[object].slots.clone();
        slots.into_iter().map(|(offset, slot)| (offset, self.slots.find(slot))).collect()
    }

    pub(super) fn slots_of(&mut self, object: ObjectId) -> Vec<SlotId> {
        self.parts_of(object).into_iter().map(|(_, slot)| slot).collect()
    }

    pub(super) fn object_of(&mut self, slot: SlotId) -> Option<ObjectId> {
        Some(self.home(slot)?.0)
    }

    pub(super) fn shape(&mut self, object: ObjectId) -> Shape {
        let object = self.objects.find(object);
        self.object_data[object].shape
    }

    pub(super) fn len(&self) -> usize {
        self.slot_data.len()
    }

    pub(super) fn representative(&mut self, slot: SlotId) -> SlotId {
        self.slots.find(slot)
    }

    // ---- constraints ----

    /// The value may be the address of the slot.
    pub(super) fn point(&mut self, value: SlotId, target: SlotId) {
        let value = self.slots.find(value);
        match self.slot_data[value].points_to {
            Some(old) => self.tasks.push(Pending::Join(old, target)),
            None => self.set_target(value, target),
        }
        self.run();
    }

    /// Whatever `from` points to, `to` may point to as well.
    pub(super) fn flow(&mut self, from: SlotId, to: SlotId) {
        self.tasks.push(Pending::Flow { from, to });
        self.run();
    }

    /// The place where an access through the pointer with this type lands.
    pub(super) fn access(&mut self, pointer: SlotId, ty: TypeId) -> (ObjectId, u64) {
        let (object, offset) = self.follow(pointer);
        match self.object_data[object].shape {
            Shape::Untyped => {
                let element = self.layouts.element(ty);
                self.give_type(object, element);
            }
            Shape::Typed(whole) if self.layouts.position(whole, offset, ty) == Position::Misfit => {
                self.collapse(object);
            }
            Shape::Typed(_) | Shape::Collapsed => {}
        }
        self.follow(pointer)
    }

    /// The pointer is moved by elements of this type.
    pub(super) fn step(&mut self, pointer: SlotId, ty: TypeId) {
        let (object, offset) = self.follow(pointer);
        let element = self.layouts.element(ty);
        if self.object_data[object].shape == Shape::Untyped {
            self.give_type(object, element);
        }
        let Shape::Typed(whole) = self.object_data[object].shape else { return };
        let stays = match self.layouts.position(whole, offset, element) {
            // If a struct ends with an array of open length, the bytes after the struct are the rest of that
            // array.
            Position::Whole => !has_tail(self.layouts.types(), element),
            Position::Element => self.layouts.is_one_part(whole),
            Position::Member | Position::Misfit => false,
        };
        if stays && !self.object_data[object].is_tailed {
            self.object_data[object].is_stepped = true;
        } else {
            self.collapse(object);
        }
    }

    /// An index may go anywhere in the object, or, where there is only one class of parts, in its like.
    pub(super) fn leave_member(&mut self, object: ObjectId) {
        let object = self.objects.find(object);
        match self.object_data[object].shape {
            Shape::Typed(whole) if self.layouts.is_one_part(whole) && !self.object_data[object].is_tailed => {
                self.object_data[object].is_stepped = true;
            }
            _ => self.collapse(object),
        }
    }

    /// The array at the canonical offset is the last member of its struct and may continue behind it.
    pub(super) fn go_on_behind(&mut self, object: ObjectId, offset: u64) {
        let object = self.objects.find(object);
        let Shape::Typed(whole) = self.object_data[object].shape else { return };
        let is_last = tail(self.layouts.types(), whole) == Some(offset);
        if is_last && !self.object_data[object].is_stepped {
            self.object_data[object].is_tailed = true;
        } else {
            self.collapse(object);
        }
    }

    /// Any bytes may move from the object behind `from` to the one behind `to`.
    pub(super) fn copy_bytes(&mut self, from: SlotId, to: SlotId) {
        let ((source, from_offset), (target, to_offset)) = (self.follow(from), self.follow(to));
        self.object_data[source].is_copied = true;
        self.object_data[target].is_copied = true;
        match (self.object_data[source].shape, self.object_data[target].shape) {
            (Shape::Untyped, Shape::Untyped) => return self.join_targets(from, to),
            (Shape::Untyped, Shape::Typed(ty)) if to_offset == 0 => self.give_type(source, ty),
            (Shape::Typed(ty), Shape::Untyped) if from_offset == 0 => self.give_type(target, ty),
            _ => {}
        }
        // Only whole objects and members of one layout are known to move part by part.
        let aligned = from_offset == to_offset && self.have_same_slots(source, target);
        let is_part_by_part = aligned
            && self.is_outside_arrays(source, from_offset)
            && self.is_outside_arrays(target, to_offset);
        if !is_part_by_part {
            self.collapse(source);
            self.collapse(target);
        }
        let (sources, targets) = (self.slots_of(source), self.slots_of(target));
        for (from, to) in sources.into_iter().zip(targets) {
            self.flow(from, to);
        }
    }

    /// Characters may move from the string behind `from` to the one behind `to`. They stay in the arrays of
    /// characters where they start, if there are such.
    pub(super) fn copy_string(&mut self, from: SlotId, to: SlotId) {
        let (from, to) = (self.string(from), self.string(to));
        self.flow(from, to);
    }

    fn string(&mut self, pointer: SlotId) -> SlotId {
        let char = self.layouts.types().char;
        let (object, offset) = self.access(pointer, char);
        self.step(pointer, char);
        self.slot_at(object, offset)
    }

    pub(super) fn collapse(&mut self, object: ObjectId) {
        self.tasks.push(Pending::Collapse(object));
        self.run();
    }

    // ---- how it is done ----

    /// Where the pointer leads; to an assumed object if nothing is known.
    pub(super) fn follow(&mut self, pointer: SlotId) -> (ObjectId, u64) {
        if let Some(home) = self.target(pointer).and_then(|target| self.home(target)) {
            return home;
        }
        let object = self.new_object(Shape::Untyped);
        self.object_data[object].is_assumed = true;
        let slot = self.slot_at(object, 0);
        self.point(pointer, slot);
        self.target(pointer).and_then(|target| self.home(target)).unwrap_or((object, 0))
    }

    fn join_targets(&mut self, from: SlotId, to: SlotId) {
        if let (Some(a), Some(b)) = (self.target(from), self.target(to)) {
            self.tasks.push(Pending::Join(a, b));
            self.run();
        }
    }

    fn give_type(&mut self, object: ObjectId, ty: TypeId) {
        // Where structs with a tail lie side by side, the next one is behind the tail.
        let types = self.layouts.types();
        if matches!(types.get(ty), Type::Array(..)) && has_tail(types, self.layouts.element(ty)) {
            self.object_data[object].shape = Shape::Collapsed;
            return;
        }
        // Copies that start at some element of the first array shift the members behind it.
        let starts_with_array = self.layouts.starts_with_array(ty);
        let parts = match self.layouts.parts(ty) {
            Some(parts) if !(self.object_data[object].is_copied && starts_with_array && parts.len() > 1) => {
                parts
            }
            _ => {
                self.object_data[object].shape = Shape::Collapsed;
                return;
            }
        };
        // The one slot of the untyped object becomes that of the first part, at offset 0.
        let first = self.object_data[object].slots[0];
        let mut slots = vec![first];
        for part in parts.iter().skip(1) {
            slots.push((part.offset, self.new_slot(Some((object, part.offset)))));
        }
        self.object_data[object].slots = slots;
        self.object_data[object].shape = Shape::Typed(ty);
    }

    fn have_same_slots(&mut self, a: ObjectId, b: ObjectId) -> bool {
        let (a, b) = (&self.object_data[a], &self.object_data[b]);
        match (a.shape, b.shape) {
            (Shape::Collapsed, Shape::Collapsed) | (Shape::Untyped, Shape::Untyped) => true,
            (Shape::Typed(s), Shape::Typed(t)) => {
                self.layouts.same(self.layouts.element(s), self.layouts.element(t))
                    && a.slots.len() == b.slots.len()
                    && a.slots.iter().zip(&b.slots).all(|(x, y)| x.0 == y.0)
            }
            _ => false,
        }
    }

    /// Is it known where in the object a copy at the canonical offset starts, up to whole elements?
    fn is_outside_arrays(&self, object: ObjectId, offset: u64) -> bool {
        let data = &self.object_data[object];
        match data.shape {
            Shape::Typed(ty) => offset == 0 && (data.slots.len() == 1 || !self.layouts.starts_with_array(ty)),
            Shape::Untyped | Shape::Collapsed => true,
        }
    }
}
