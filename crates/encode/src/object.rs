//! Whole objects: made, set to zero, or of any contents.

use crate::arithmetic::Encoding;
use crate::cells::{Content, Layout, OBJECT, offset_shape};
use crate::encoder::Encoder;
use crate::leaves::LeafKind;
use crate::memory::{Spot, nth};
use crate::state::State;
use summa_c::tree::{BinaryOp, PlaceId, PlaceKind};
use summa_c::types::{Type, TypeId};
use summa_facts::points_to::ClassId;
use summa_term::{Sort, Term};

impl Encoder<'_> {
    /// The place takes any value; where it is only a part of its memory, all of that memory does.
    pub(crate) fn havoc_place(&mut self, state: &mut State, place: PlaceId) {
        for class in self.facts.points_to.of_place(place).to_vec() {
            self.havoc_class(state, class);
        }
    }

    pub(crate) fn havoc_class(&mut self, state: &mut State, class: ClassId) {
        let Some(region) = self.cells.region(class) else { return };
        match (region.layout, region.content) {
            (Layout::Single, Content::Int(shape)) => {
                let value = self.fresh_int(shape);
                state.set(region.first, value);
            }
            (_, content) => {
                let parts = if content == Content::Pointer { 2 } else { 1 };
                for part in 0..parts {
                    let cell = nth(region.first, part);
                    let value = self.fresh_cell(cell);
                    state.set(cell, value);
                }
            }
        }
    }

    /// All bytes of the place become zero.
    pub(crate) fn zero_place(&mut self, state: &mut State, place: PlaceId) {
        let program = &self.cfa.program;
        let ty = program.exprs.place(place).ty;
        let whole = matches!(program.exprs.place(place).kind, PlaceKind::Var(_));
        let Some(spot) = self.spot(state, place) else { return };
        if whole {
            for class in self.facts.points_to.of_place(place).to_vec() {
                self.zero_object(state, class, spot.at.object);
            }
            return;
        }
        let Some(list) = self.leaves().elements(ty) else {
            self.note("a large part of an object set to zero");
            return self.havoc_place(state, place);
        };
        for leaf in list {
            let here =
                Spot { class: self.class_behind(spot, leaf.offset), at: self.moved(spot.at, leaf.offset) };
            let Some(region) = self.cells.region(here.class) else { continue };
            let count = match (leaf.kind, region.content) {
                (_, Content::Bytes) => self.leaf_bytes(leaf.kind),
                _ => 1,
            };
            for i in 0..count {
                let at = self.moved(here.at, i);
                for (part, zero) in self.zero(region.content).into_iter().enumerate() {
                    self.write_cell(state, region, part, at, zero);
                }
            }
        }
    }

    fn leaf_bytes(&self, kind: LeafKind) -> u64 {
        match kind {
            LeafKind::Bytes(count) => count,
            LeafKind::Scalar(ty) => self.cfa.program.types.size_of(ty).unwrap_or(0),
        }
    }

    /// All parts of an object in this class become zero.
    pub(crate) fn zero_object(&mut self, state: &mut State, class: ClassId, object: Term) {
        let Some(region) = self.cells.region(class) else { return };
        let index = self.arithmetic.sort(offset_shape(self.cfa));
        for (part, zero) in self.zero(region.content).into_iter().enumerate() {
            let cell = nth(region.first, part);
            let value = match region.layout {
                Layout::Single => zero,
                Layout::Offsets => self.zero_array(index, zero),
                Layout::Objects => {
                    let array = self.zero_array(index, zero);
                    self.terms.store(state.get(cell), object, array)
                }
            };
            state.set(cell, value);
        }
    }

    fn zero_array(&mut self, index: Sort, zero: Term) -> Term {
        let sort = self.terms.array_of(index, self.terms.sort(zero));
        self.terms.const_array(sort, zero)
    }

    /// The fact that numbers of objects are not used up: fewer than 2^63 objects were made so far, because no
    /// execution has time for more.
    pub(crate) fn few_objects(&mut self, next: Term) -> Term {
        let limit = self.object(1 << 63);
        self.arithmetic.compare(&mut self.terms, BinaryOp::Lt, OBJECT, next, limit)
    }

    /// A new object; returns its number.
    pub(crate) fn new_object(&mut self, state: &mut State) -> Term {
        let object = state.get(self.cells.next_object);
        let one = self.object(1);
        let next = match self.encoding {
            Encoding::Int => self.terms.add2(object, one),
            Encoding::BitVector => self.terms.bv_add(object, one),
        };
        state.set(self.cells.next_object, next);
        object
    }

    /// Does the type hold pointers or numbers that one symbol can stand for?
    pub(crate) fn is_scalar(&self, ty: TypeId) -> bool {
        matches!(self.cfa.program.types.get(ty), Type::Int(_) | Type::Float(_) | Type::Pointer(_))
    }
}
