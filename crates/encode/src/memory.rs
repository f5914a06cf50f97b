//! Reading and writing places.

use crate::arithmetic::Encoding;
use crate::cells::{BYTE, CellId, Content, Layout, Region};
use crate::encoder::Encoder;
use crate::leaves::LeafKind;
use crate::shape::{Shape, float_sort};
use crate::state::State;
use crate::value::{LeafValue, Pointer, Value};
use summa_base::Id;
use summa_c::tree::{PlaceId, PlaceKind, VarId};
use summa_c::types::TypeId;
use summa_facts::points_to::ClassId;
use summa_term::{FloatSort, Sort, Term};

/// A place found: the class of its first byte, and where in the class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) class: ClassId,
    pub(crate) at: Pointer,
}

impl Encoder<'_> {
    // ---- finding ----

    /// Object and offset of a place.
    pub(crate) fn address(&mut self, state: &State, place: PlaceId) -> Pointer {
        let program = &self.cfa.program;
        match program.exprs.place(place).kind {
            PlaceKind::Var(var) => {
                let object = self.var_object(state, var);
                Pointer { object, offset: self.offset(0) }
            }
            PlaceKind::Deref(pointer) => match self.value(state, pointer) {
                Value::Pointer(pointer) => pointer,
                Value::Scalar(_) | Value::Record(_) => self.null(),
            },
            PlaceKind::Field(base, field) => {
                let mut at = self.address(state, base);
                let record = program.types.record_of(program.exprs.place(base).ty);
                let field = record.and_then(|record| program.types.record(record).fields.get(field as usize));
                if let Some(field) = field {
                    let distance = self.offset(i128::from(field.offset));
                    at.offset = self.offset_add(at.offset, distance);
                }
                at
            }
            PlaceKind::Index(base, index) => {
                let mut at = self.address(state, base);
                let size = program.types.size_of(program.exprs.place(place).ty).unwrap_or(1);
                if let Value::Scalar(index) = self.value(state, index) {
                    let distance = self.offset_scale(index, size);
                    at.offset = self.offset_add(at.offset, distance);
                }
                at
            }
        }
    }

    fn var_object(&mut self, state: &State, var: VarId) -> Term {
        match self.cells.handle(var) {
            Some(handle) => state.get(handle),
            None => {
                let number = i128::from(self.cells.var_object(var));
                self.object(number)
            }
        }
    }

    pub(crate) fn spot(&mut self, state: &State, place: PlaceId) -> Option<Spot> {
        let class = *self.facts.points_to.of_place(place).first()?;
        Some(Spot { class, at: self.address(state, place) })
    }

    pub(crate) fn spot_of_var(&mut self, state: &State, var: VarId) -> Option<Spot> {
        let class = *self.facts.points_to.of_var(var).first()?;
        let at = Pointer { object: self.var_object(state, var), offset: self.offset(0) };
        Some(Spot { class, at })
    }

    /// The value of a whole variable.
    pub(crate) fn load_var(&mut self, state: &State, var: VarId) -> Value {
        let ty = self.cfa.program.vars[var].ty;
        match self.spot_of_var(state, var).and_then(|spot| self.load_at(state, spot, ty)) {
            Some(value) => value,
            None => self.any(ty, "the value of a variable"),
        }
    }

    /// Stores the value of a whole variable.
    pub(crate) fn store_var(&mut self, state: &mut State, var: VarId, value: &Value) {
        let ty = self.cfa.program.vars[var].ty;
        let stored = self.spot_of_var(state, var).and_then(|spot| self.store_at(state, spot, ty, value));
        if stored.is_none() {
            self.note("the value of a variable");
            self.havoc_var(state, var);
        }
    }

    pub(crate) fn havoc_var(&mut self, state: &mut State, var: VarId) {
        for class in self.facts.points_to.of_var(var).to_vec() {
            self.havoc_class(state, class);
        }
    }

    /// The class that is `distance` bytes after the start of a spot.
    pub(crate) fn class_behind(&self, spot: Spot, distance: u64) -> ClassId {
        let points_to = &self.facts.points_to;
        let start = points_to.offset_of(spot.class);
        points_to.class_at(&self.cfa.program.types, spot.class, start + distance)
    }

    pub(crate) fn moved(&mut self, at: Pointer, bytes: u64) -> Pointer {
        let distance = self.offset(i128::from(bytes));
        Pointer { object: at.object, offset: self.offset_add(at.offset, distance) }
    }

    // ---- cells ----

    pub(crate) fn read_cell(&mut self, state: &State, region: Region, part: usize, at: Pointer) -> Term {
        let cell = state.get(nth(region.first, part));
        match region.layout {
            Layout::Single => cell,
            Layout::Offsets => self.terms.select(cell, at.offset),
            Layout::Objects => {
                let object = self.terms.select(cell, at.object);
                self.terms.select(object, at.offset)
            }
        }
    }

    pub(crate) fn write_cell(
        &mut self,
        state: &mut State,
        region: Region,
        part: usize,
        at: Pointer,
        value: Term,
    ) {
        let cell = nth(region.first, part);
        let old = state.get(cell);
        let new = match region.layout {
            Layout::Single => value,
            Layout::Offsets => self.terms.store(old, at.offset, value),
            Layout::Objects => {
                let object = self.terms.select(old, at.object);
                let object = self.terms.store(object, at.offset, value);
                self.terms.store(old, at.object, object)
            }
        };
        state.set(cell, new);
    }

    /// Values in arrays are in range because only such values are stored. This adds the fact for the array
    /// before the first store.
    pub(crate) fn element_fact(&mut self, shape: Shape, term: Term) {
        if self.encoding == Encoding::Int && !self.arithmetic.is_in_range(&self.terms, shape, term) {
            let Some((lo, hi)) = shape.range() else { return };
            let (lo, hi) = (self.terms.int(lo), self.terms.int(hi));
            let (from, upto) = (self.terms.le(lo, term), self.terms.le(term, hi));
            let fact = self.terms.and2(from, upto);
            self.assume(fact);
        }
    }

    // ---- values ----

    /// The value of a place.
    pub fn load(&mut self, state: &State, place: PlaceId) -> Value {
        let ty = self.cfa.program.exprs.place(place).ty;
        let loaded = self.spot(state, place).and_then(|spot| match self.cfa.program.bit_field(place) {
            Some(bits) => self.load_bits(state, spot, bits, place),
            None => self.load_at(state, spot, ty),
        });
        match loaded {
            Some(value) => value,
            None => self.any(ty, "a value read from memory"),
        }
    }

    /// Any value of the type, because of something that is not exact.
    pub(crate) fn any(&mut self, ty: TypeId, what: &str) -> Value {
        self.note(what);
        match self.fresh_value(ty) {
            Some(value) => value,
            None => Value::Record(Vec::new()),
        }
    }

    pub(crate) fn load_at(&mut self, state: &State, spot: Spot, ty: TypeId) -> Option<Value> {
        if !self.cfa.program.types.is_scalar(ty) {
            let mut parts = Vec::new();
            for leaf in self.leaves().elements(ty)? {
                let here = Spot {
                    class: self.class_behind(spot, leaf.offset),
                    at: self.moved(spot.at, leaf.offset),
                };
                let values = match leaf.kind {
                    LeafKind::Scalar(ty) => vec![self.load_at(state, here, ty)?],
                    LeafKind::Bytes(count) => {
                        self.load_bytes(state, here, count)?.into_iter().map(Value::Scalar).collect()
                    }
                };
                parts.push(LeafValue { offset: leaf.offset, kind: leaf.kind, values });
            }
            return Some(Value::Record(parts));
        }
        let region = self.cells.region(spot.class)?;
        let types = &self.cfa.program.types;
        let (shape, float) = (Shape::of(types, ty), float_sort(types, ty));
        match (region.content, shape, float) {
            (Content::Int(from), Some(to), _) => {
                let term = self.read_cell(state, region, 0, spot.at);
                if region.layout != Layout::Single {
                    self.element_fact(from, term);
                }
                if from == to {
                    return Some(Value::Scalar(term));
                }
                Some(Value::Scalar(self.arithmetic.convert(&mut self.terms, from, to, term)))
            }
            (Content::Float(_), _, Some(_)) => Some(Value::Scalar(self.read_cell(state, region, 0, spot.at))),
            (Content::Pointer, None, None) => {
                let object = self.read_cell(state, region, 0, spot.at);
                let offset = self.read_cell(state, region, 1, spot.at);
                Some(Value::Pointer(Pointer { object, offset }))
            }
            (Content::Bytes, Some(shape), _) => {
                let bytes = self.load_bytes(state, spot, u64::from(shape.width) / 8)?;
                Some(Value::Scalar(self.arithmetic.of_bytes(&mut self.terms, shape, &bytes)))
            }
            (Content::Bytes, _, Some(sort)) if self.encoding == Encoding::BitVector => {
                let bytes = self.load_bytes(state, spot, float_bytes(sort))?;
                Some(Value::Scalar(self.float_of_bytes(sort, &bytes)))
            }
            _ => None,
        }
    }

    pub(crate) fn load_bytes(&mut self, state: &State, spot: Spot, count: u64) -> Option<Vec<Term>> {
        let region = self.cells.region(spot.class).filter(|region| region.content == Content::Bytes)?;
        let mut bytes = Vec::new();
        for i in 0..count {
            let at = self.moved(spot.at, i);
            let byte = self.read_cell(state, region, 0, at);
            self.element_fact(BYTE, byte);
            bytes.push(byte);
        }
        Some(bytes)
    }

    pub(crate) fn float_of_bytes(&mut self, sort: FloatSort, bytes: &[Term]) -> Term {
        let width = 8 * bytes.len() as u8;
        let bits = self.arithmetic.of_bytes(&mut self.terms, Shape::unsigned(width), bytes);
        let bits = match sort {
            // The explicit leading bit of the significand is not part of SMT-LIB's format.
            FloatSort::F80 => {
                let (high, low) = (self.terms.bv_extract(79, 64, bits), self.terms.bv_extract(62, 0, bits));
                self.terms.bv_concat(high, low)
            }
            _ => bits,
        };
        self.terms.float_from_bits(bits, sort)
    }

    /// Stores a value in a place.
    pub(crate) fn store(&mut self, state: &mut State, place: PlaceId, value: &Value) {
        let ty = self.cfa.program.exprs.place(place).ty;
        let Some(spot) = self.spot(state, place) else { return };
        let stored = match self.cfa.program.bit_field(place) {
            Some(bits) => self.store_bits(state, spot, bits, value),
            None => self.store_at(state, spot, ty, value),
        };
        if stored.is_none() {
            self.note("a value written to memory");
            self.havoc_place(state, place);
        }
    }

    pub(crate) fn store_at(
        &mut self,
        state: &mut State,
        spot: Spot,
        ty: TypeId,
        value: &Value,
    ) -> Option<()> {
        if let Value::Record(parts) = value {
            if parts.is_empty() {
                return None;
            }
            for part in parts {
                let here = Spot {
                    class: self.class_behind(spot, part.offset),
                    at: self.moved(spot.at, part.offset),
                };
                match part.kind {
                    LeafKind::Scalar(ty) => self.store_at(state, here, ty, part.values.first()?)?,
                    LeafKind::Bytes(_) => {
                        let bytes: Option<Vec<Term>> = part.values.iter().map(Value::scalar).collect();
                        self.store_bytes(state, here, &bytes?)?;
                    }
                }
            }
            return Some(());
        }
        let region = self.cells.region(spot.class)?;
        let types = &self.cfa.program.types;
        let (shape, float) = (Shape::of(types, ty), float_sort(types, ty));
        match (region.content, value, shape, float) {
            (Content::Int(to), Value::Scalar(term), Some(from), _) => {
                let term = self.arithmetic.convert(&mut self.terms, from, to, *term);
                self.write_cell(state, region, 0, spot.at, term);
            }
            (Content::Float(_), Value::Scalar(term), _, Some(_)) => {
                self.write_cell(state, region, 0, spot.at, *term);
            }
            (Content::Pointer, Value::Pointer(pointer), ..) => {
                self.write_cell(state, region, 0, spot.at, pointer.object);
                self.write_cell(state, region, 1, spot.at, pointer.offset);
            }
            (Content::Bytes, Value::Scalar(term), Some(shape), _) => {
                let bytes = self.arithmetic.to_bytes(&mut self.terms, shape, *term);
                self.store_bytes(state, spot, &bytes)?;
            }
            (Content::Bytes, Value::Scalar(term), _, Some(sort)) if self.encoding == Encoding::BitVector => {
                let bytes = self.bytes_of_float(sort, *term);
                self.store_bytes(state, spot, &bytes)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// SMT-LIB has no function from floats to bits: take any bits that are this float.
    pub(crate) fn bytes_of_float(&mut self, sort: FloatSort, term: Term) -> Vec<Term> {
        let width = 8 * float_bytes(sort) as u8;
        let is_nan = self.terms.float_is_nan(term);
        if self.terms.as_bool(is_nan) != Some(false) {
            self.note("the bits of a NaN");
        }
        let bits = self.fresh("any.bits", Sort::Bv(width));
        let bytes = self.arithmetic.to_bytes(&mut self.terms, Shape::unsigned(width), bits);
        let same = self.float_of_bytes(sort, &bytes);
        let fact = self.terms.eq(same, term);
        self.assume(fact);
        if sort == FloatSort::F80 {
            // The explicit bit is set, except in zeros and subnormals, whose exponent is zero.
            let (exponent, zero) = (self.terms.bv_extract(78, 64, bits), self.terms.bv(15, 0));
            let (leading, one) = (self.terms.bv_extract(63, 63, bits), self.terms.bv(1, 1));
            let (is_set, is_normal) = (self.terms.eq(leading, one), self.terms.ne(exponent, zero));
            let fact = self.terms.iff(is_set, is_normal);
            self.assume(fact);
        }
        bytes
    }

    pub(crate) fn store_bytes(&mut self, state: &mut State, spot: Spot, bytes: &[Term]) -> Option<()> {
        let region = self.cells.region(spot.class).filter(|region| region.content == Content::Bytes)?;
        for (i, &byte) in bytes.iter().enumerate() {
            let at = self.moved(spot.at, i as u64);
            self.write_cell(state, region, 0, at, byte);
        }
        Some(())
    }
}

pub(crate) fn nth(first: CellId, part: usize) -> CellId {
    CellId::from_index(first.index() + part)
}

/// Bytes of a float's format that matter.
pub(crate) fn float_bytes(sort: FloatSort) -> u64 {
    match sort {
        FloatSort::F32 => 4,
        FloatSort::F64 => 8,
        FloatSort::F80 => 10,
        FloatSort::F128 => 16,
    }
}
