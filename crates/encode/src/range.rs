//! Facts about the value of a cell, as a formula: bounds and a congruence.

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

/// Remainders of wider distances are too hard to be worth it.
const MAX_DISTANCE: u8 = 16;

impl Encoder<'_> {
    /// The cell that holds the scalar at this offset of a variable, if it is one cell.
    pub fn cell_of(&self, var: VarId, offset: u64) -> Option<CellId> {
        let is_it = |cell: CellId| self.cells.cells[cell].variable == Some((var, offset));
        let class = self.facts.points_to.of_var(var).first();
        let first = class.and_then(|&class| self.cells.region(class)).map(|region| region.first);
        // Scalars are found at once.
        first.filter(|&cell| is_it(cell)).or_else(|| self.cells.cells.ids().find(|&cell| is_it(cell)))
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
            // The distance from the least such number: within the bounds it has few bits.
            (Encoding::BitVector, Sort::Bv(width)) => {
                let least = range.lower + (range.residue - range.lower).rem_euclid(range.modulus);
                let bits = (128 - range.upper.checked_sub(least)?.max(0).leading_zeros()) as u8;
                let is_short = bits <= width.min(MAX_DISTANCE) && range.modulus <= range.upper - least;
                is_short.then(|| {
                    let least = self.terms.bv(width, least as u128);
                    let distance = self.terms.bv_sub(value, least);
                    let distance = self.terms.bv_extract(bits - 1, 0, distance);
                    let modulus = self.terms.bv(bits, range.modulus as u128);
                    let rest = self.terms.bv_urem(distance, modulus);
                    let zero = self.terms.bv(bits, 0);
                    self.terms.eq(rest, zero)
                })
            }
            _ => None,
        }
    }
}
