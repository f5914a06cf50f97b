//! The work behind the constraints: flows, joins and collapses, from a list of tasks so that nothing
//! recurses.
//!
//! Every join makes two slots one and every collapse happens once per object, so the work is bounded by the
//! number of slots and flows, times the inverse Ackermann function of union-find.

use super::{Heap, Object, ObjectId, Pending, Position, Shape, SlotId};

impl Heap<'_> {
    pub(super) fn set_target(&mut self, value: SlotId, target: SlotId) {
        let data = &mut self.slot_data[value];
        data.points_to = Some(target);
        let waiting = std::mem::take(&mut data.flows_to);
        let is_smeared = data.is_smeared;
        self.tasks.extend(waiting.into_iter().map(|to| Pending::Flow { from: value, to }));
        if is_smeared && let Some((object, _)) = self.home(target) {
            self.tasks.push(Pending::Collapse(object));
        }
    }

    pub(super) fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            match task {
                Pending::Join(a, b) => self.join(a, b),
                Pending::Flow { from, to } => self.flow_now(from, to),
                Pending::Collapse(object) => self.collapse_now(object),
            }
        }
    }

    fn flow_now(&mut self, from: SlotId, to: SlotId) {
        let (from, to) = (self.slots.find(from), self.slots.find(to));
        if from == to {
            return;
        }
        match (self.slot_data[from].points_to, self.slot_data[to].points_to) {
            (Some(new), Some(old)) => self.tasks.push(Pending::Join(new, old)),
            (Some(new), None) => self.set_target(to, new),
            (None, _) => self.slot_data[from].flows_to.push(to),
        }
    }

    fn join(&mut self, a: SlotId, b: SlotId) {
        if self.slots.find(a) == self.slots.find(b) {
            return;
        }
        let (Some((object_a, at_a)), Some((object_b, at_b))) = (self.home(a), self.home(b)) else {
            unreachable!("only slots that lie in objects are pointed to");
        };
        if object_a == object_b {
            return self.collapse_now(object_a);
        }
        if self.embed(object_a, at_a, object_b, at_b) || self.embed(object_b, at_b, object_a, at_a) {
            return;
        }
        match (self.object_data[object_a].shape, self.object_data[object_b].shape) {
            (Shape::Untyped, Shape::Typed(ty)) if at_b == 0 => self.give_type(object_a, ty),
            (Shape::Typed(ty), Shape::Untyped) if at_a == 0 => self.give_type(object_b, ty),
            _ => {}
        }
        if at_a != at_b || !self.have_same_slots(object_a, object_b) {
            self.collapse_now(object_a);
            self.collapse_now(object_b);
        }
        self.merge(object_a, object_b);
    }

    /// If `small` is only assumed, and fits into `large` so that the two offsets meet, it becomes a part of
    /// `large`.
    fn embed(&mut self, small: ObjectId, at_small: u64, large: ObjectId, at_large: u64) -> bool {
        let (part, whole) = (&self.object_data[small], &self.object_data[large]);
        let Shape::Typed(whole_type) = whole.shape else { return false };
        let is_movable = part.is_assumed && !part.is_copied;
        let Some(shift) = at_large.checked_sub(at_small).filter(|_| is_movable) else { return false };
        let fits = match part.shape {
            Shape::Untyped => Position::Member,
            Shape::Typed(part_type) => self.layouts.position(whole_type, shift, part_type),
            Shape::Collapsed => Position::Misfit,
        };
        let (is_stepped, is_tailed) = (part.is_stepped, part.is_tailed);
        let fits = match fits {
            Position::Whole => true,
            // Who walks over a part that is an element of a member may leave the member.
            Position::Element => !is_tailed && (!is_stepped || self.layouts.is_one_part(whole_type)),
            Position::Member => !is_tailed && !is_stepped,
            Position::Misfit => false,
        };
        if !fits {
            return false;
        }
        self.object_data[large].is_stepped |= is_stepped;
        self.object_data[large].is_tailed |= is_tailed;
        let parts = self.object_data[small].slots.clone();
        let pairs: Vec<(SlotId, SlotId)> =
            parts.into_iter().map(|(offset, slot)| (slot, self.slot_at(large, offset + shift))).collect();
        let kept = self.unite_objects(small, large);
        if kept == small {
            let whole = &mut self.object_data[large];
            let slots = std::mem::take(&mut whole.slots);
            self.object_data[small] = Object { slots, ..*whole };
        }
        for (part, whole) in pairs {
            let at = self.home(whole).map_or(0, |(_, offset)| offset);
            self.unite_slots(part, whole, kept, at);
        }
        true
    }

    fn merge(&mut self, a: ObjectId, b: ObjectId) {
        let (slots_a, slots_b) = (self.object_data[a].slots.clone(), self.object_data[b].slots.clone());
        let is_assumed = self.object_data[a].is_assumed && self.object_data[b].is_assumed;
        let is_stepped = self.object_data[a].is_stepped || self.object_data[b].is_stepped;
        let is_tailed = self.object_data[a].is_tailed || self.object_data[b].is_tailed;
        let is_copied = self.object_data[a].is_copied || self.object_data[b].is_copied;
        let kept = self.unite_objects(a, b);
        self.object_data[kept].is_assumed = is_assumed;
        self.object_data[kept].is_stepped = is_stepped;
        self.object_data[kept].is_tailed = is_tailed;
        self.object_data[kept].is_copied = is_copied;
        for ((offset, x), (_, y)) in slots_a.into_iter().zip(slots_b) {
            self.unite_slots(x, y, kept, offset);
        }
    }

    fn unite_objects(&mut self, a: ObjectId, b: ObjectId) -> ObjectId {
        self.objects.union(a, b).map_or(a, |(kept, _)| kept)
    }

    fn collapse_now(&mut self, object: ObjectId) {
        let object = self.objects.find(object);
        if self.object_data[object].shape == Shape::Collapsed {
            return;
        }
        let slots = std::mem::take(&mut self.object_data[object].slots);
        let first = slots[0].1;
        self.object_data[object].slots = vec![(0, first)];
        self.object_data[object].shape = Shape::Collapsed;
        for (_, slot) in slots {
            self.unite_slots(first, slot, object, 0);
        }
    }

    fn unite_slots(&mut self, a: SlotId, b: SlotId, object: ObjectId, offset: u64) {
        let Some((kept, absorbed)) = self.slots.union(a, b) else {
            let slot = self.slots.find(a);
            self.slot_data[slot].home = Some((object, offset));
            return;
        };
        let mut gone = std::mem::take(&mut self.slot_data[absorbed]);
        let data = &mut self.slot_data[kept];
        data.home = Some((object, offset));
        if gone.flows_to.len() > data.flows_to.len() {
            std::mem::swap(&mut data.flows_to, &mut gone.flows_to);
        }
        data.flows_to.append(&mut gone.flows_to);
        match (data.points_to, gone.points_to) {
            (Some(old), Some(new)) => self.tasks.push(Pending::Join(old, new)),
            (None, Some(new)) => data.points_to = Some(new),
            (_, None) => {}
        }
        if let Some(target) = self.slot_data[kept].points_to {
            self.set_target(kept, target);
        }
    }
}
