//! Linear equations between integer cells modulo 2³², as formulas: wider numbers by their lower halves,
//! narrower ones as they are in C. Also bounds of sums of two cells, without wrapping.

use crate::arithmetic::Encoding;
use crate::cells::CellId;
use crate::encoder::Encoder;
use crate::shape::Shape;
use summa_c::tree::BinaryOp;
use summa_term::{Term, Terms};

impl Encoder<'_> {
    /// Σ cᵢ·xᵢ + c ≡ 0 (mod 2³²), over cells in version 0; None if one of them is no integer of the program
    /// or a copy of one.
    pub fn is_zero_sum(&mut self, sum: &[(CellId, u32)], constant: u32) -> Option<Term> {
        let mut values = Vec::with_capacity(sum.len());
        for &(cell, coefficient) in sum {
            let shape = self.shape_of(cell)?;
            let symbol = self.cells.cells[cell].symbol;
            values.push((shape, self.terms.symbol(symbol, 0), coefficient));
        }
        match self.encoding {
            Encoding::Int => Some(is_zero_over_integers(&mut self.terms, &values, constant)),
            Encoding::BitVector => self.is_zero_over_words(&values, constant),
        }
    }

    /// Σ ±xᵢ ≤ bound as numbers of C, over at most two cells in version 0; true stands for minus. None if one
    /// of the cells is neither an integer of the program nor a copy of one, or if such sums cannot reach the
    /// bound.
    pub fn is_at_most(&mut self, sum: &[(CellId, bool)], bound: i128) -> Option<Term> {
        let mut values = Vec::with_capacity(sum.len());
        for &(cell, is_negative) in sum {
            let symbol = self.cells.cells[cell].symbol;
            values.push((self.shape_of(cell)?, self.terms.symbol(symbol, 0), is_negative));
        }
        if self.encoding == Encoding::Int {
            return Some(is_at_most_over_integers(&mut self.terms, &values, bound));
        }
        let widest = values.iter().map(|(shape, ..)| shape.width).max()?;
        // Wide enough for two of them with a sign; in `long long`, if that is.
        let wide = Shape::signed(widest.checked_add(3)?.max(64));
        let (least, most) = wide.range()?;
        if values.len() > 2 || bound < least || bound > most {
            return None;
        }
        let (terms, arithmetic) = (&mut self.terms, &mut self.arithmetic);
        let mut left = arithmetic.constant(terms, wide, 0);
        for (shape, value, is_negative) in values {
            let value = arithmetic.convert(terms, shape, wide, value);
            let op = if is_negative { BinaryOp::Sub } else { BinaryOp::Add };
            left = arithmetic.binary(terms, op, wide, (left, value), wide)?;
        }
        let right = arithmetic.constant(terms, wide, bound);
        Some(arithmetic.compare(terms, BinaryOp::Le, wide, left, right))
    }

    /// Positive terms stand on one side of the equation and negative ones on the other: solvers handle sums
    /// better than products with the largest numbers.
    fn is_zero_over_words(&mut self, values: &[(Shape, Term, u32)], constant: u32) -> Option<Term> {
        let word = Shape::unsigned(32);
        let (terms, arithmetic) = (&mut self.terms, &mut self.arithmetic);
        let is_subtracted = |coefficient: u32| coefficient.cast_signed() < 0;
        let mut sides = [0, 1].map(|side| {
            let amount = if is_subtracted(constant) == (side == 1) {
                constant.cast_signed().unsigned_abs()
            } else {
                0
            };
            arithmetic.constant(terms, word, amount.into())
        });
        for &(shape, value, coefficient) in values {
            let mut product = arithmetic.convert(terms, shape, word, value);
            let amount = coefficient.cast_signed().unsigned_abs();
            if amount != 1 {
                let factor = arithmetic.constant(terms, word, amount.into());
                product = arithmetic.binary(terms, BinaryOp::Mul, word, (factor, product), word)?;
            }
            let side = &mut sides[usize::from(is_subtracted(coefficient))];
            *side = arithmetic.binary(terms, BinaryOp::Add, word, (*side, product), word)?;
        }
        let [added, subtracted] = sides;
        Some(terms.eq(added, subtracted))
    }
}

fn is_at_most_over_integers(terms: &mut Terms, values: &[(Shape, Term, bool)], bound: i128) -> Term {
    let mut sum = Vec::with_capacity(values.len());
    for &(_, value, is_negative) in values {
        let factor = terms.int(if is_negative { -1 } else { 1 });
        sum.push(terms.mul(factor, value));
    }
    let (sum, bound) = (terms.add(&sum), terms.int(bound));
    terms.le(sum, bound)
}

/// Without wrapping in between: only the sum matters.
fn is_zero_over_integers(terms: &mut Terms, values: &[(Shape, Term, u32)], constant: u32) -> Term {
    let mut sum = vec![terms.int(i128::from(constant.cast_signed()))];
    for &(_, value, coefficient) in values {
        let factor = terms.int(i128::from(coefficient.cast_signed()));
        sum.push(terms.mul(factor, value));
    }
    let sum = terms.add(&sum);
    let modulus = terms.int(1i128 << 32);
    let (rest, zero) = (terms.modulo(sum, modulus), terms.int(0));
    terms.eq(rest, zero)
}
