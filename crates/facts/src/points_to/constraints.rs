//! From edges to constraints on the [`Heap`]: every expression gets a slot for its value, and every edge says
//! which value flows where.
//!
//! All scalars may carry addresses or pieces of them, integers and floats too. Comparisons, conversions
//! between integers and floats, and differences of pointers yield plain numbers. An integer computation
//! yields any address inside the objects that its operands point into.

use super::heap::{Heap, ObjectId, Shape, SlotId};
use super::layout::Shapes;
use crate::layout::Layouts;
use summa_base::{IdMap, IdSet, IdVec};
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, VarId};
use summa_c::types::{IntKind, Type, TypeId};
use summa_cfa::build::ranges::Ranges;
use summa_cfa::members::{self, Reach};
use summa_cfa::{Cfa, EdgeId, Op};

pub(super) struct Constraints<'a> {
    pub(super) cfa: &'a Cfa,
    pub(super) heap: Heap<'a>,
    pub(super) vars: IdVec<VarId, ObjectId>,
    pub(super) values: IdMap<ExprId, Option<SlotId>>,
    /// The targets of values that are no addresses but are followed nevertheless, as in `&((S *)0)->field`.
    /// Kept apart from `values`, so that not all pointers that were ever null share them.
    nowhere: IdMap<ExprId, Option<SlotId>>,
    pub(super) used_places: IdSet<PlaceId>,
    pub(super) sites: Vec<(EdgeId, SlotId)>,
    pub(super) functions: Vec<(FuncId, SlotId)>,
    function_slots: IdMap<FuncId, Option<SlotId>>,
    /// Memory that holds the variadic arguments of all calls of a function.
    variadic: IdMap<FuncId, Option<SlotId>>,
    ranges: Ranges,
}

impl<'a> Constraints<'a> {
    pub(super) fn solve(cfa: &'a Cfa, layouts: &'a Layouts) -> Self {
        let program = &cfa.program;
        let mut heap = Heap::new(Shapes::new(&program.types, layouts));
        let vars = program.vars.values().map(|var| heap.new_object(Shape::Typed(var.ty))).collect();
        let mut all = Self {
            cfa,
            heap,
            vars,
            values: IdMap::with_len(program.exprs.len(), None),
            nowhere: IdMap::new(None),
            used_places: IdSet::new(),
            sites: Vec::new(),
            functions: Vec::new(),
            function_slots: IdMap::with_len(program.functions.len(), None),
            variadic: IdMap::with_len(program.functions.len(), None),
            ranges: Ranges::default(),
        };
        // Children are older than their parents, so ascending order finds their slots made.
        for expr in all.mark_used().iter() {
            all.values[expr] = all.value_of(expr);
        }
        for place in all.used_places.clone().iter() {
            all.location(place);
            all.index(place);
        }
        for edge in cfa.edges.ids() {
            all.edge(edge);
        }
        all
    }

    /// The expressions that some edge evaluates; also fills `used_places`.
    fn mark_used(&mut self) -> IdSet<ExprId> {
        let mut used = IdSet::new();
        let (mut exprs, mut places) = (Vec::new(), Vec::new());
        for edge in self.cfa.edges.values() {
            match edge.op {
                Op::Skip | Op::Declare { .. } | Op::Dead { .. } => {}
                Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
                Op::Assign { place, value } => {
                    places.push(place);
                    exprs.push(value);
                }
                Op::Assume { condition, .. } => exprs.push(condition),
                Op::Zero { place } | Op::Havoc { place, .. } => places.push(place),
                Op::Call { result, ref args, .. }
                | Op::Library { result, ref args, .. }
                | Op::External { result, ref args, .. } => {
                    places.extend(result);
                    exprs.extend(args);
                }
                Op::Return { value } => exprs.extend(value),
            }
        }
        loop {
            if let Some(expr) = exprs.pop() {
                if used.insert(expr) {
                    match self.cfa.program.exprs.expr(expr).kind {
                        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                        ExprKind::Load(place) | ExprKind::Addr(place) => places.push(place),
                        ExprKind::Unary(_, inner) | ExprKind::Cast(inner) => exprs.push(inner),
                        ExprKind::Binary(_, left, right) => exprs.extend([left, right]),
                    }
                }
            } else if let Some(place) = places.pop() {
                if self.used_places.insert(place) {
                    match self.cfa.program.exprs.place(place).kind {
                        PlaceKind::Var(_) => {}
                        PlaceKind::Deref(pointer) => exprs.push(pointer),
                        PlaceKind::Field(inner, _) => places.push(inner),
                        PlaceKind::Index(inner, index) => {
                            places.push(inner);
                            exprs.push(index);
                        }
                    }
                }
            } else {
                return used;
            }
        }
    }

    // ---- expressions ----

    /// The slot that holds the value; None if it is no address.
    fn value_of(&mut self, expr: ExprId) -> Option<SlotId> {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        let ty = exprs.type_of(expr);
        match exprs.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Float(_) => None,
            ExprKind::Load(place) => {
                let slot = self.slot(place);
                // A table that is indexed by an address may give it back.
                let indices = self.addresses_in_indices(place);
                if indices.is_empty() {
                    return Some(slot);
                }
                let mut value = Some(slot);
                for index in indices {
                    value = self.computed(ty, [value, Some(index)]).or(value);
                }
                value
            }
            ExprKind::Addr(place) => {
                let (value, slot) = (self.heap.new_value(), self.slot(place));
                self.heap.point(value, slot);
                Some(value)
            }
            ExprKind::Function(function) => {
                let (value, slot) = (self.heap.new_value(), self.function_slot(function));
                self.heap.point(value, slot);
                Some(value)
            }
            ExprKind::Cast(inner) => {
                let is_number = types.is_float(ty) != types.is_float(exprs.type_of(inner))
                    || types.int_kind(ty) == Some(IntKind::Bool);
                if is_number { None } else { self.values[inner] }
            }
            ExprKind::Unary(_, inner) => self.computed(ty, [self.values[inner], None]),
            ExprKind::Binary(op, left, right) => {
                use BinaryOp::*;
                match op {
                    Add | Sub | Mul | Div | Rem | And | Or | Xor | Shl | Shr => {
                        self.computed(ty, [self.values[left], self.values[right]])
                    }
                    Eq | Ne | Lt | Le | Gt | Ge | PtrDiff => None,
                    PtrAdd | PtrSub => {
                        let value = self.values[left]?;
                        let array = members::moved(&self.cfa.program, left).filter(|_| op == PtrAdd);
                        if let Some(array) = array
                            && self.stays(array, right)
                        {
                            return Some(value);
                        }
                        if exprs.as_int(right) != Some(0)
                            && let Some(target) = types.pointee(ty)
                        {
                            self.heap.step(value, target);
                        }
                        Some(value)
                    }
                }
            }
        }
    }

    /// The values of the indices on the way to a place that may be addresses or parts of them.
    fn addresses_in_indices(&self, mut place: PlaceId) -> Vec<SlotId> {
        let exprs = &self.cfa.program.exprs;
        let mut found = Vec::new();
        loop {
            match exprs.place(place).kind {
                PlaceKind::Var(_) | PlaceKind::Deref(_) => return found,
                PlaceKind::Field(inner, _) => place = inner,
                PlaceKind::Index(inner, index) => {
                    found.extend(self.values[index]);
                    place = inner;
                }
            }
        }
    }

    pub(super) fn computed(&mut self, ty: TypeId, operands: [Option<SlotId>; 2]) -> Option<SlotId> {
        if self.cfa.program.types.is_float(ty) || operands == [None, None] {
            return None;
        }
        let value = self.heap.new_smeared_value();
        for operand in operands.into_iter().flatten() {
            self.heap.flow(operand, value);
        }
        Some(value)
    }

    /// The slot of a value that is used as a pointer.
    pub(super) fn pointer(&mut self, expr: ExprId) -> SlotId {
        if let Some(slot) = self.values[expr].or(self.nowhere[expr]) {
            return slot;
        }
        let slot = self.heap.new_value();
        self.nowhere[expr] = Some(slot);
        slot
    }

    /// The slot that the value points to, if it is an address or was followed as one.
    pub(super) fn target(&mut self, expr: ExprId) -> Option<SlotId> {
        let value = self.values[expr].or(self.nowhere[expr])?;
        self.heap.target(value)
    }

    fn function_slot(&mut self, function: FuncId) -> SlotId {
        if let Some(slot) = self.function_slots[function] {
            return slot;
        }
        let object = self.heap.new_object(Shape::Untyped);
        let slot = self.heap.slot_at(object, 0);
        self.function_slots[function] = Some(slot);
        self.functions.push((function, slot));
        slot
    }

    pub(super) fn variadic_slot(&mut self, function: FuncId) -> SlotId {
        if let Some(slot) = self.variadic[function] {
            return slot;
        }
        let object = self.heap.new_object(Shape::Collapsed);
        let slot = self.heap.slot_at(object, 0);
        self.variadic[function] = Some(slot);
        slot
    }

    // ---- places ----

    /// The object that contains a place, and its canonical offset there. Both change when objects are joined,
    /// so ask again.
    pub(super) fn location(&mut self, place: PlaceId) -> (ObjectId, u64) {
        let program = &self.cfa.program;
        let (mut at, mut delta) = (place, 0);
        loop {
            match program.exprs.place(at).kind {
                PlaceKind::Var(var) => return (self.vars[var], delta),
                PlaceKind::Index(inner, _) => at = inner,
                PlaceKind::Field(inner, index) => {
                    if let Type::Record(record) = *program.types.get(program.exprs.place(inner).ty) {
                        delta += self.heap.layouts.field_offset(record, index);
                    }
                    at = inner;
                }
                PlaceKind::Deref(pointer) => {
                    if let ExprKind::Addr(inner) = program.exprs.expr(pointer).kind {
                        at = inner;
                        continue;
                    }
                    let (ty, pointer) = (program.exprs.place(at).ty, self.pointer(pointer));
                    let (object, offset) = if program.types.is_function(ty) {
                        self.heap.follow(pointer)
                    } else {
                        self.heap.access(pointer, ty)
                    };
                    return (object, offset + delta);
                }
            }
        }
    }

    /// Does the index stay in the array, whatever the values of variables are?
    fn stays(&mut self, array: PlaceId, index: ExprId) -> bool {
        let reach = members::reach(&self.cfa.program, &mut self.ranges, array, index);
        reach.reach == Reach::Inside && !reach.is_tail
    }

    /// An index that may leave its member makes one of all members, unless the automata have a branch where
    /// it does.
    fn index(&mut self, place: PlaceId) {
        let program = &self.cfa.program;
        let PlaceKind::Index(array, index) = program.exprs.place(place).kind else { return };
        let reach = members::reach(program, &mut self.ranges, array, index);
        match reach.reach {
            Reach::Object | Reach::Inside => {}
            Reach::Asked(_) if self.cfa.members_apart => {}
            Reach::Asked(_) | Reach::Outside => {
                let (object, _) = self.location(array);
                self.heap.leave_member(object);
            }
            Reach::Behind(pointer) => {
                let pointer = self.pointer(pointer);
                self.heap.step(pointer, program.exprs.place(place).ty);
            }
        }
        if reach.is_tail {
            let (object, offset) = self.location(array);
            self.heap.go_on_behind(object, offset);
        }
    }

    fn slot(&mut self, place: PlaceId) -> SlotId {
        let (object, offset) = self.location(place);
        self.heap.slot_at(object, offset)
    }

    /// The slots of the parts that a region of this type covers, with the types of the parts.
    pub(super) fn region(&mut self, (object, offset): (ObjectId, u64), ty: TypeId) -> Vec<(SlotId, TypeId)> {
        match self.heap.layouts.parts(ty) {
            Some(parts) => {
                parts.iter().map(|part| (self.heap.slot_at(object, offset + part.offset), part.ty)).collect()
            }
            // A type without parts makes every object that contains it collapse.
            None => self.heap.slots_of(object).into_iter().map(|slot| (slot, ty)).collect(),
        }
    }

    // ---- edges ----

    fn edge(&mut self, id: EdgeId) {
        let (program, edge) = (&self.cfa.program, self.cfa.edge(id));
        match edge.op {
            Op::Skip | Op::Assume { .. } | Op::Declare { .. } | Op::Dead { .. } | Op::Zero { .. } => {}
            Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assign { place, value } => {
                let target = self.location(place);
                self.assign(target, program.exprs.place(place).ty, value);
            }
            Op::Havoc { place, .. } => self.take_unknown(place, false),
            Op::Return { value } => {
                let function = self.cfa.nodes[edge.from].function;
                if let (Some(value), Some(result)) = (value, program.functions[function].result) {
                    self.assign((self.vars[result], 0), program.vars[result].ty, value);
                }
            }
            Op::Call { result, callee, ref args } => {
                let params = &program.functions[callee].params;
                for (i, &arg) in args.iter().enumerate() {
                    match params.get(i) {
                        Some(&param) => self.assign((self.vars[param], 0), program.vars[param].ty, arg),
                        None => {
                            let memory = self.variadic_slot(callee);
                            self.pour(arg, memory);
                        }
                    }
                }
                if let (Some(place), Some(var)) = (result, program.functions[callee].result) {
                    let ty = program.vars[var].ty;
                    let (from, to) = (self.region((self.vars[var], 0), ty), self.location(place));
                    let to = self.region(to, ty);
                    self.flow_all(&from, &to);
                }
            }
            Op::External { result, ref args, .. } => {
                for &arg in args {
                    let unknown = self.heap.unknown;
                    self.pour(arg, unknown);
                }
                if let Some(place) = result {
                    self.take_unknown(place, true);
                }
            }
            Op::Library { result, model, ref args, .. } => {
                let function = self.cfa.nodes[edge.from].function;
                self.library(id, function, model, args, result);
            }
        }
    }

    fn assign(&mut self, target: (ObjectId, u64), ty: TypeId, value: ExprId) {
        let program = &self.cfa.program;
        let value_type = program.exprs.type_of(value);
        let aggregates = (program.types.is_aggregate(ty), program.types.is_aggregate(value_type));
        match (aggregates, program.exprs.expr(value).kind) {
            ((false, false), _) => {
                if let Some(from) = self.values[value] {
                    let to = self.heap.slot_at(target.0, target.1);
                    self.heap.flow(from, to);
                }
            }
            ((true, true), ExprKind::Load(source)) if self.heap.layouts.same(ty, value_type) => {
                let source = self.location(source);
                let (from, to) = (self.region(source, ty), self.region(target, ty));
                self.flow_all(&from, &to);
            }
            // Calls without prototype can pass what the parameter is not.
            _ => {
                self.heap.collapse(target.0);
                let to = self.heap.slot_at(target.0, 0);
                self.pour(value, to);
            }
        }
    }

    /// Part by part if the parts correspond, all to all otherwise.
    fn flow_all(&mut self, from: &[(SlotId, TypeId)], to: &[(SlotId, TypeId)]) {
        if from.len() == to.len() {
            for (&(from, _), &(to, _)) in from.iter().zip(to) {
                self.heap.flow(from, to);
            }
            return;
        }
        for &(from, _) in from {
            for &(to, _) in to {
                self.heap.flow(from, to);
            }
        }
    }

    /// Every part of the value may end up in the slot.
    fn pour(&mut self, value: ExprId, to: SlotId) {
        let program = &self.cfa.program;
        let ty = program.exprs.type_of(value);
        match program.exprs.expr(value).kind {
            ExprKind::Load(source) if program.types.is_aggregate(ty) => {
                let source = self.location(source);
                for (from, _) in self.region(source, ty) {
                    self.heap.flow(from, to);
                }
            }
            _ => {
                if let Some(from) = self.values[value] {
                    self.heap.flow(from, to);
                }
            }
        }
    }

    /// The place takes any value: its pointers may point to all that is known outside. Numbers are
    /// addresses only if it is unseen code that returns them and they are wide enough.
    fn take_unknown(&mut self, place: PlaceId, numbers_too: bool) {
        let (ty, location) = (self.cfa.program.exprs.place(place).ty, self.location(place));
        let unknown = self.heap.unknown;
        for (slot, leaf) in self.region(location, ty) {
            let (types, size) = (&self.cfa.program.types, self.cfa.program.types.model.pointer_size());
            let holds_address = !types.is_arithmetic(leaf)
                || numbers_too && types.is_integer(leaf) && types.size_of(leaf).is_some_and(|s| s >= size);
            if holds_address {
                self.heap.flow(unknown, slot);
            }
        }
    }
}
