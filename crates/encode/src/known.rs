//! Facts about a scalar in a variable, as a formula over the cells that hold it: a number, a pointer, a
//! range.
//!
//! [`crate::range`] is for variables that are one cell. Here memory is read as the program reads it. So there
//! are also formulas for elements of arrays, members of records, and variables that share memory with others.
//! A fact without a formula gives `None`.

use crate::cells::BYTE;
use crate::encoder::Encoder;
use crate::memory::Spot;
use crate::range::Range;
use crate::shape::{Shape, float_sort};
use crate::state::State;
use crate::value::{Pointer, Value};
use summa_c::tree::{BinaryOp, ExprId, FuncId, VarId};
use summa_c::types::TypeId;
use summa_term::Term;

/// A fact about a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    /// An integer, or a pointer that is a plain number.
    Number(i128),
    /// An integer between two numbers, perhaps with a congruence.
    In(Range),
    /// An integer or pointer that is not zero.
    NonZero,
    /// The bits of a floating-point number.
    Float(u128),
    /// A pointer into a variable, with a distance in bytes from its start.
    Address {
        var: VarId,
        offset: i64,
    },
    Function(FuncId),
    /// Bits of memory that are no scalar by themselves. The first one is given by a byte offset and a bit
    /// number from the lowest bit of that byte. Without a value: they are not all zero.
    Bits {
        from: u8,
        width: u8,
        value: Option<u128>,
    },
}

impl Encoder<'_> {
    /// The formula for this fact about the scalar of type `ty` at this offset of the variable, in a state.
    pub fn known(
        &mut self,
        state: &State,
        (var, offset, ty): (VarId, u64, TypeId),
        known: Known,
    ) -> Option<Term> {
        let start = self.spot_of_var(state, var)?;
        let spot = Spot { class: self.class_behind(start, offset), at: self.moved(start.at, offset) };
        // Facts about memory that is read are added by the read.
        let said = self.constraints.len();
        if let Known::Bits { from, width, value } = known {
            let bits = self.known_bits(state, (start, offset), (from, width), value.unwrap_or(0));
            self.constraints.truncate(said);
            return bits.map(|bits| if value.is_some() { bits } else { self.terms.not(bits) });
        }
        let value = self.load_at(state, spot, ty);
        self.constraints.truncate(said);
        match value? {
            Value::Scalar(term) => match Shape::of(&self.cfa.program.types, ty) {
                Some(shape) => self.known_number(shape, term, known),
                None => self.known_float(ty, term, known),
            },
            Value::Pointer(pointer) => self.known_pointer(state, pointer, known),
            Value::Record(_) => None,
        }
    }

    /// The variable is an integer and has the value of the expression; None if formulas do not say the latter
    /// exactly.
    pub fn is_value_of(&mut self, state: &State, var: VarId, expr: ExprId) -> Option<Term> {
        Shape::of(&self.cfa.program.types, self.cfa.program.vars[var].ty)?;
        let said = self.constraints.len();
        let (a, b) = (self.load_var(state, var), self.value(state, expr));
        self.constraints.truncate(said);
        let (Value::Scalar(a), Value::Scalar(b)) = (a, b) else { return None };
        let formula = self.terms.eq(a, b);
        let is_cell = |symbol: Term| {
            self.terms.as_symbol(symbol).is_some_and(|(family, _)| self.cells.of_symbol(family).is_some())
        };
        self.terms.free_symbols(formula).into_iter().all(is_cell).then_some(formula)
    }

    fn known_number(&mut self, shape: Shape, value: Term, known: Known) -> Option<Term> {
        match known {
            Known::Number(number) => {
                let number = self.arithmetic.constant(&mut self.terms, shape, number);
                Some(self.terms.eq(value, number))
            }
            Known::NonZero => {
                let zero = self.arithmetic.constant(&mut self.terms, shape, 0);
                Some(self.terms.ne(value, zero))
            }
            Known::In(range) => self.within(shape, value, range),
            Known::Float(_) | Known::Address { .. } | Known::Function(_) | Known::Bits { .. } => None,
        }
    }

    /// Byte by byte; None if the memory is not kept as bytes.
    fn known_bits(
        &mut self,
        state: &State,
        (start, offset): (Spot, u64),
        (from, width): (u8, u8),
        value: u128,
    ) -> Option<Term> {
        let end = u32::from(from) + u32::from(width);
        let mut parts = Vec::new();
        for byte in 0..end.div_ceil(8) {
            let (low, high) = (if byte == 0 { u32::from(from) } else { 0 }, (end - 8 * byte).min(8));
            let distance = offset + u64::from(byte);
            let spot = Spot { class: self.class_behind(start, distance), at: self.moved(start.at, distance) };
            let &[whole] = &self.load_bytes(state, spot, 1)?[..] else { return None };
            let part = match (low, high) {
                (0, 8) => whole,
                _ => self.arithmetic.field(&mut self.terms, BYTE, whole, low, high - low),
            };
            let bits = value >> (8 * byte + low - u32::from(from)) & ((1 << (high - low)) - 1);
            let bits = self.arithmetic.constant(&mut self.terms, BYTE, bits as i128);
            parts.push(self.terms.eq(part, bits));
        }
        Some(self.terms.and(&parts))
    }

    fn known_float(&mut self, ty: TypeId, value: Term, known: Known) -> Option<Term> {
        let (Some(sort), Known::Float(bits)) = (float_sort(&self.cfa.program.types, ty), known) else {
            return None;
        };
        let number = self.terms.float(sort, bits);
        Some(self.terms.eq(value, number))
    }

    fn known_pointer(&mut self, state: &State, value: Pointer, known: Known) -> Option<Term> {
        let (object, offset) = match known {
            Known::Number(number) => (self.object(0), self.offset(number)),
            Known::NonZero => {
                let null = self.null();
                let (objects, offsets) =
                    (self.terms.eq(value.object, null.object), self.terms.eq(value.offset, null.offset));
                let is_null = self.terms.and2(objects, offsets);
                return Some(self.terms.not(is_null));
            }
            Known::Address { var, offset } => {
                let start = self.spot_of_var(state, var)?;
                (start.at.object, self.offset(i128::from(offset)))
            }
            Known::Function(function) => {
                (self.object(i128::from(self.cells.function_object(function))), self.offset(0))
            }
            Known::In(_) | Known::Float(_) | Known::Bits { .. } => return None,
        };
        let (objects, offsets) = (self.terms.eq(value.object, object), self.terms.eq(value.offset, offset));
        Some(self.terms.and2(objects, offsets))
    }

    /// `lower ≤ value ≤ upper` and the congruence, of a value of this shape.
    pub(crate) fn within(&mut self, shape: Shape, value: Term, range: Range) -> Option<Term> {
        let mut parts = Vec::new();
        let (least, greatest) = shape.range()?;
        if range.lower > least {
            let lower = self.arithmetic.constant(&mut self.terms, shape, range.lower);
            parts.push(self.arithmetic.compare(&mut self.terms, BinaryOp::Le, shape, lower, value));
        }
        if range.upper < greatest {
            let upper = self.arithmetic.constant(&mut self.terms, shape, range.upper);
            parts.push(self.arithmetic.compare(&mut self.terms, BinaryOp::Le, shape, value, upper));
        }
        parts.extend(self.congruence(value, self.terms.sort(value), range));
        Some(self.terms.and(&parts))
    }
}
