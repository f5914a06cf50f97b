//! Blocks of memory of a constant size: `memcpy`, `memmove`, `memset`, `memcmp`, `memchr`.
//!
//! A block is a list of *units*: scalars of typed memory, or single bytes. Blocks whose units lie side by
//! side are copied unit by unit, others byte by byte. Limits: at most [`MAX_UNITS`] units (larger objects
//! only as a whole, filled with zeros); a block begins and ends with a unit; pointers are not taken apart;
//! padding is not compared.

use super::{Answer, INT};
use crate::arithmetic::Encoding;
use crate::cells::{BYTE, Content, Region};
use crate::encoder::Encoder;
use crate::leaves::LeafKind;
use crate::memory::{Spot, float_bytes};
use crate::shape::Shape;
use crate::state::State;
use crate::value::Pointer;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceKind};
use summa_c::types::{Type, TypeId};
use summa_cfa::LibFn;
use summa_cfa::syntax::strip_casts;
use summa_facts::layout::has_tail;
use summa_term::Term;

pub(super) const MAX_UNITS: usize = 256;

/// One cell of memory.
#[derive(Clone, Copy, Debug)]
struct Unit {
    /// Bytes from the start of the block.
    distance: u64,
    size: u64,
    region: Region,
    at: Pointer,
}

impl Encoder<'_> {
    pub(super) fn block_function(
        &mut self,
        state: &mut State,
        model: LibFn,
        args: &[ExprId],
    ) -> Option<Answer> {
        let size = self.constant_size(state, args, 2)?;
        match model {
            LibFn::Memcpy | LibFn::Memmove => self.copy_block(state, args, size),
            LibFn::Memset => self.fill_block(state, args, size),
            LibFn::Memcmp => {
                let bytes = self.bytes_of_args(state, args, size)?;
                let mut result = self.number(INT, 0);
                for (x, y) in bytes.into_iter().rev() {
                    result = self.difference_or(x, y, result)?;
                }
                Some(Answer::Int(INT, result))
            }
            LibFn::Memchr => {
                let at = self.pointer_arg(state, args, 0)?;
                let wanted = self.int_arg(state, args, 1, BYTE)?;
                let spot = self.spot_arg(state, args, 0)?;
                let units = self.units(spot, size, self.room_arg(args, 0))?;
                let bytes = self.block_bytes(state, &units, size)?;
                let mut found = self.null();
                for (i, byte) in bytes.into_iter().enumerate().rev() {
                    let (is_it, here) = (self.terms.eq(byte, wanted), self.moved(at, i as u64));
                    found = self.choose(is_it, here, found);
                }
                Some(Answer::Pointer(found))
            }
            _ => None,
        }
    }

    /// `x - y` if they differ, else `rest`: one step of a comparison of bytes.
    pub(super) fn difference_or(&mut self, x: Term, y: Term, rest: Term) -> Option<Term> {
        let differ = self.terms.ne(x, y);
        let x = self.arithmetic.convert(&mut self.terms, BYTE, INT, x);
        let y = self.arithmetic.convert(&mut self.terms, BYTE, INT, y);
        let difference = self.arithmetic.binary(&mut self.terms, BinaryOp::Sub, INT, (x, y), INT)?;
        Some(self.terms.ite(differ, difference, rest))
    }

    fn bytes_of_args(&mut self, state: &State, args: &[ExprId], size: u64) -> Option<Vec<(Term, Term)>> {
        if size == 0 {
            return Some(Vec::new());
        }
        let (a, b) = (self.spot_arg(state, args, 0)?, self.spot_arg(state, args, 1)?);
        let (room_a, room_b) = (self.room_arg(args, 0), self.room_arg(args, 1));
        let (a, b) = (self.units(a, size, room_a)?, self.units(b, size, room_b)?);
        let (a, b) = (self.block_bytes(state, &a, size)?, self.block_bytes(state, &b, size)?);
        Some(a.into_iter().zip(b).collect())
    }

    // ---- copying ----

    fn copy_block(&mut self, state: &mut State, args: &[ExprId], size: u64) -> Option<Answer> {
        let answer = Answer::Pointer(self.pointer_arg(state, args, 0)?);
        if size == 0 {
            return Some(answer);
        }
        let (to, from) = (self.spot_arg(state, args, 0)?, self.spot_arg(state, args, 1)?);
        let (room_to, room_from) = (self.room_arg(args, 0), self.room_arg(args, 1));
        let (to, from) = (self.units(to, size, room_to)?, self.units(from, size, room_from)?);
        let alike = to.len() == from.len()
            && to.iter().zip(&from).all(|(to, from)| {
                (to.distance, to.size) == (from.distance, from.size)
                    && same_kind(to.region.content, from.region.content)
            });
        // All is read before anything is written: the blocks may overlap.
        if alike {
            let values: Vec<Vec<Term>> = from.iter().map(|unit| self.read_unit(state, unit)).collect();
            for ((to, from), values) in to.iter().zip(&from).zip(values) {
                self.write_unit(state, to, from.region.content, &values);
            }
        } else {
            let bytes = self.block_bytes(state, &from, size)?;
            self.write_bytes(state, &to, &bytes)?;
        }
        Some(answer)
    }

    fn read_unit(&mut self, state: &State, unit: &Unit) -> Vec<Term> {
        let parts = if unit.region.content == Content::Pointer { 2 } else { 1 };
        let mut values = Vec::new();
        for part in 0..parts {
            let value = self.read_cell(state, unit.region, part, unit.at);
            match unit.region.content {
                Content::Int(shape) => self.element_fact(shape, value),
                Content::Bytes => self.element_fact(BYTE, value),
                Content::Float(_) | Content::Pointer => {}
            }
            values.push(value);
        }
        values
    }

    fn write_unit(&mut self, state: &mut State, unit: &Unit, from: Content, values: &[Term]) {
        for (part, &value) in values.iter().enumerate() {
            let value = match (int_shape(from), int_shape(unit.region.content)) {
                (Some(from), Some(to)) => self.arithmetic.convert(&mut self.terms, from, to, value),
                _ => value,
            };
            self.write_cell(state, unit.region, part, unit.at, value);
        }
    }

    // ---- filling ----

    fn fill_block(&mut self, state: &mut State, args: &[ExprId], size: u64) -> Option<Answer> {
        let answer = Answer::Pointer(self.pointer_arg(state, args, 0)?);
        if size == 0 {
            return Some(answer);
        }
        let byte = self.int_arg(state, args, 1, BYTE)?;
        let spot = self.spot_arg(state, args, 0)?;
        let is_zero = self.as_number(byte) == Some(0);
        if is_zero && self.is_whole_object(spot, size) {
            for class in self.facts.points_to.siblings(spot.class).to_vec() {
                self.zero_object(state, class, spot.at.object);
            }
            return Some(answer);
        }
        let units = self.units(spot, size, self.room_arg(args, 0))?;
        if is_zero {
            for unit in units {
                let zeros = self.zero(unit.region.content);
                self.write_unit(state, &unit, unit.region.content, &zeros);
            }
        } else {
            let bytes = vec![byte; size as usize];
            self.write_bytes(state, &units, &bytes)?;
        }
        Some(answer)
    }

    /// Does the block cover every object that can be meant, from its start?
    fn is_whole_object(&mut self, spot: Spot, size: u64) -> bool {
        let points_to = &self.facts.points_to;
        let program = &self.cfa.program;
        let is_start = spot.at.offset == self.offset(0);
        let fits = |class| {
            !points_to.is_unknown(class)
                && points_to.allocations(class).is_empty()
                && points_to
                    .variables(class)
                    .iter()
                    .all(|&var| program.types.size_of(program.vars[var].ty).is_some_and(|own| own <= size))
        };
        is_start && points_to.siblings(spot.class).iter().all(|&class| fits(class))
    }

    // ---- bytes ----

    /// The bytes of a block, lowest address first. Padding has none.
    fn block_bytes(&mut self, state: &State, units: &[Unit], size: u64) -> Option<Vec<Term>> {
        let mut bytes = Vec::new();
        for unit in units {
            if unit.distance != bytes.len() as u64 {
                return None;
            }
            let values = self.read_unit(state, unit);
            let &[value] = values.as_slice() else { return None };
            match unit.region.content {
                Content::Bytes => bytes.push(value),
                Content::Int(shape) => {
                    bytes.extend(self.arithmetic.to_bytes(&mut self.terms, shape, value));
                }
                Content::Float(sort) if self.encoding == Encoding::BitVector => {
                    if float_bytes(sort) != unit.size {
                        return None;
                    }
                    bytes.extend(self.bytes_of_float(sort, value));
                }
                Content::Float(_) | Content::Pointer => return None,
            }
        }
        (bytes.len() as u64 == size).then_some(bytes)
    }

    fn write_bytes(&mut self, state: &mut State, units: &[Unit], bytes: &[Term]) -> Option<()> {
        for unit in units {
            let from = usize::try_from(unit.distance).ok()?;
            let mine = bytes.get(from..from + usize::try_from(unit.size).ok()?)?;
            let value = match unit.region.content {
                Content::Bytes => *mine.first()?,
                // Other bytes than 0 and 1 are no values of the type.
                Content::Int(shape) if shape.is_bool => return None,
                Content::Int(shape) => self.arithmetic.of_bytes(&mut self.terms, shape, mine),
                Content::Float(sort) if self.encoding == Encoding::BitVector => {
                    let used = mine.get(..float_bytes(sort) as usize)?;
                    self.float_of_bytes(sort, used)
                }
                Content::Float(_) | Content::Pointer => return None,
            };
            self.write_cell(state, unit.region, 0, unit.at, value);
        }
        Some(())
    }

    // ---- units ----

    /// The bytes that an argument is known to have before it in the array or object that it points to.
    fn room_arg(&self, args: &[ExprId], index: usize) -> u64 {
        let program = &self.cfa.program;
        let pointer = args.get(index).map(|&arg| strip_casts(&program.exprs, arg));
        let Some(ExprKind::Addr(place)) = pointer.map(|pointer| program.exprs.expr(pointer).kind) else {
            return 0;
        };
        let place = match program.exprs.place(place).kind {
            PlaceKind::Index(array, zero) if program.exprs.as_int(zero) == Some(0) => array,
            _ => place,
        };
        program.types.size_of(program.exprs.place(place).ty).unwrap_or(0)
    }

    /// The units of a block, which has this much room; None if it is too long, or does not begin and end with
    /// a unit.
    fn units(&mut self, spot: Spot, size: u64, room: u64) -> Option<Vec<Unit>> {
        if size > 16 * MAX_UNITS as u64 {
            return None;
        }
        let offset = self.as_number(spot.at.offset).and_then(|offset| u64::try_from(offset).ok());
        let points_to = &self.facts.points_to;
        let typed = points_to
            .object_type(spot.class)
            .filter(|_| !points_to.is_unknown(spot.class) && !points_to.is_collapsed(spot.class));
        let mut start = points_to.offset_of(spot.class);
        let stretches = match typed {
            Some(ty) => {
                let is_exact = offset.is_some() || size <= room || points_to.siblings(spot.class).len() == 1;
                start = offset.unwrap_or(start);
                self.stretches(ty, start, size, is_exact, offset.is_some())?
            }
            None => vec![(0, size)],
        };
        let mut units = Vec::new();
        for (distance, length) in stretches {
            let class = self.facts.points_to.class_at(&self.cfa.program.types, spot.class, start + distance);
            let region = self.cells.region(class)?;
            let count = if region.content == Content::Bytes { length } else { 1 };
            if units.len() as u64 + count > MAX_UNITS as u64 {
                return None;
            }
            for i in 0..count {
                let at = self.moved(spot.at, distance + i);
                units.push(Unit { distance: distance + i, size: length / count, region, at });
            }
        }
        Some(units)
    }

    /// The leaves in `size` bytes of objects of a type that lie side by side, from the offset `start` on, as
    /// distances and lengths. `is_exact`: the bytes are not more than those of the array that they begin in,
    /// or that is all that there is. `is_offset`: `start` is an offset in the object, and not that of the
    /// first element that stands for all.
    fn stretches(
        &self,
        ty: TypeId,
        start: u64,
        size: u64,
        is_exact: bool,
        is_offset: bool,
    ) -> Option<Vec<(u64, u64)>> {
        let types = &self.cfa.program.types;
        let mut element = ty;
        while let Type::Array(inner, _) = *types.get(element) {
            element = inner;
        }
        let period = types.size_of(element).filter(|&period| period > 0)?;
        let list = self.leaves().elements(element)?;
        let start = if has_tail(types, element) { start } else { start % period };
        let first = list.iter().position(|leaf| leaf.offset == start)?;
        let length = |kind: LeafKind| match kind {
            LeafKind::Bytes(count) => Some(count),
            LeafKind::Scalar(ty) => types.size_of(ty),
        };
        let (mut found, mut round, mut i) = (Vec::new(), 0, first);
        let inside_array = !is_offset && list.get(first).is_some_and(|leaf| leaf.in_array);
        if inside_array && !is_exact {
            return None;
        }
        let kind = list.get(first)?.kind;
        loop {
            let Some(leaf) = list.get(i) else {
                if found.last().is_some_and(|&(distance, length)| distance + length >= size) {
                    return Some(found);
                }
                // The next object; a struct that ends with an array of open length has none behind it.
                if inside_array || has_tail(types, element) {
                    return None;
                }
                (round, i) = (round + 1, 0);
                continue;
            };
            let distance = (round * period + leaf.offset).checked_sub(start)?;
            let length = length(leaf.kind)?;
            if distance >= size {
                return Some(found);
            }
            // Which element of an array inside the object is meant is not known here: only its like may
            // follow.
            let follows = found.last().is_none_or(|&(at, length)| at + length == distance);
            if inside_array && (leaf.kind != kind || !leaf.in_array || !follows) {
                return None;
            }
            if distance + length > size || found.len() >= 16 * MAX_UNITS {
                return None;
            }
            found.push((distance, length));
            i += 1;
        }
    }
}

fn int_shape(content: Content) -> Option<Shape> {
    match content {
        Content::Int(shape) => Some(shape),
        Content::Bytes => Some(BYTE),
        Content::Float(_) | Content::Pointer => None,
    }
}

/// Can a value move between cells of these contents as it is?
fn same_kind(a: Content, b: Content) -> bool {
    match (a, b) {
        (Content::Int(a), Content::Int(b)) => a.width == b.width && a.is_bool == b.is_bool,
        _ => a == b,
    }
}
