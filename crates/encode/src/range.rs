//! What others know about the value of a cell, as a formula: bounds and a congruence.

use crate::arithmetic::Encoding;
use crate::cells::CellId;
use crate::encoder::Encoder;
use crate::shape::Shape;
use summa_c::tree::VarId;
use summa_c::types::TypeId;
use summa_term::{Sort, Term};

/// `lower ≤ x ≤ upper` and `x ≡ residue (mod modulus)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub lower: i128,
    pub upper: i128,
    /// 1 says nothing.
    pub modulus: i128,
    pub residue: i128,
}

impl Encoder<'_> {
    /// The cell that holds the scalar at this offset of a variable, if it is one cell.
    pub fn cell_of(&self, var: VarId, offset: u64) -> Option<CellId> {
        self.cells.cells.iter().find(|(_, cell)| cell.variable == Some((var, offset))).map(|(id, _)| id)
    }

    /// The formula over the cell in version 0; None if the cell does not hold an integer of this type.
    pub fn in_range(&mut self, cell: CellId, ty: TypeId, range: Range) -> Option<Term> {
        let shape = Shape::of(&self.cfa.program.types, ty)?;
        let (symbol, sort) = (self.cells.cells[cell].symbol, self.cells.cells[cell].sort);
        if sort != self.arithmetic.sort(shape) {
            return None;
        }
        let value = self.terms.symbol(symbol, 0);
        self.within(shape, value, range)
    }

    pub(crate) fn congruence(&mut self, value: Term, sort: Sort, range: Range) -> Option<Term> {
        if range.modulus <= 1 || range.lower >= range.upper {
            return None;
        }
        match (self.encoding, sort) {
            (Encoding::Int, Sort::Int) => {
                let (modulus, residue) = (self.terms.int(range.modulus), self.terms.int(range.residue));
                let rest = self.terms.modulo(value, modulus);
                Some(self.terms.eq(rest, residue))
            }
            // The lowest bits, whatever the sign.
            (Encoding::BitVector, Sort::Bv(width)) if range.modulus.count_ones() == 1 => {
                let bits = range.modulus.trailing_zeros().min(u32::from(width)) as u8;
                let low = self.terms.bv_extract(bits - 1, 0, value);
                let residue = self.terms.bv(bits, range.residue as u128);
                Some(self.terms.eq(low, residue))
            }
            _ => None,
        }
    }
}
