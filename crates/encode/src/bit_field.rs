//! Bit-fields: parts of the bytes that they lie in.

use crate::arithmetic::Encoding;
use crate::encoder::Encoder;
use crate::memory::Spot;
use crate::shape::Shape;
use crate::state::State;
use crate::value::Value;
use summa_c::tree::{BinaryOp, PlaceId};
use summa_c::types::BitField;
use summa_term::Term;

impl Encoder<'_> {
    pub(crate) fn load_bits(
        &mut self,
        state: &State,
        spot: Spot,
        bits: BitField,
        place: PlaceId,
    ) -> Option<Value> {
        let shape = Shape::of(&self.cfa.program.types, self.cfa.program.exprs.place(place).ty)?;
        let (from, count) = window(bits);
        let bytes = self.load_bytes(state, spot, count)?;
        let container = Shape::unsigned(8 * count as u8);
        let whole = self.arithmetic.of_bytes(&mut self.terms, container, &bytes);
        let part = self.arithmetic.field(&mut self.terms, container, whole, from, bits.width);
        let value = self.arithmetic.convert(&mut self.terms, container, shape, part);
        if !shape.signed || bits.width >= u32::from(shape.width) {
            return Some(Value::Scalar(value));
        }
        let half = self.arithmetic.constant(&mut self.terms, shape, 1i128 << (bits.width - 1));
        let period = self.arithmetic.constant(&mut self.terms, shape, 1i128 << bits.width);
        let is_negative = self.arithmetic.compare(&mut self.terms, BinaryOp::Ge, shape, value, half);
        let lowered =
            self.arithmetic.binary(&mut self.terms, BinaryOp::Sub, shape, (value, period), shape)?;
        Some(Value::Scalar(self.terms.ite(is_negative, lowered, value)))
    }

    pub(crate) fn store_bits(
        &mut self,
        state: &mut State,
        spot: Spot,
        bits: BitField,
        value: &Value,
    ) -> Option<()> {
        let value = value.scalar()?;
        let (from, count) = window(bits);
        let bytes = self.load_bytes(state, spot, count)?;
        let container = Shape::unsigned(8 * count as u8);
        let whole = self.arithmetic.of_bytes(&mut self.terms, container, &bytes);
        let total = u32::from(container.width);
        // low + value * 2^from + high * 2^(from + width), each part cut to its width.
        let low = if from == 0 {
            None
        } else {
            Some(self.arithmetic.field(&mut self.terms, container, whole, 0, from))
        };
        let above = from + bits.width;
        let high = if above >= total {
            None
        } else {
            Some(self.arithmetic.field(&mut self.terms, container, whole, above, total - above))
        };
        let cut = self.cut(value, container, bits.width)?;
        let mut sum = self.shifted(container, cut, from)?;
        if let Some(low) = low {
            sum = self.plus(container, sum, low)?;
        }
        if let Some(high) = high {
            let high = self.shifted(container, high, above)?;
            sum = self.plus(container, sum, high)?;
        }
        let bytes = self.arithmetic.to_bytes(&mut self.terms, container, sum);
        self.store_bytes(state, spot, &bytes)
    }

    /// The low `width` bits of an integer, as a number of the container's shape.
    fn cut(&mut self, value: Term, container: Shape, width: u32) -> Option<Term> {
        Some(match self.encoding {
            Encoding::Int => {
                let modulus = self.terms.int(1i128 << width);
                self.terms.modulo(value, modulus)
            }
            Encoding::BitVector => {
                let part = self.terms.bv_extract(width as u8 - 1, 0, value);
                self.terms.bv_zero_extend(part, container.width)
            }
        })
    }

    fn shifted(&mut self, shape: Shape, value: Term, by: u32) -> Option<Term> {
        let by = self.arithmetic.constant(&mut self.terms, shape, i128::from(by));
        self.arithmetic.binary(&mut self.terms, BinaryOp::Shl, shape, (value, by), shape)
    }

    fn plus(&mut self, shape: Shape, a: Term, b: Term) -> Option<Term> {
        self.arithmetic.binary(&mut self.terms, BinaryOp::Add, shape, (a, b), shape)
    }
}

/// A bit-field in the bytes from its first one on: the bit where it begins there, and how many bytes it
/// touches.
fn window(bits: BitField) -> (u32, u64) {
    let from = (bits.offset % 8) as u32;
    (from, u64::from(from + bits.width).div_ceil(8))
}
