//! C integers as bit-vectors of their width: every operation is exact.

use super::Arithmetic;
use crate::shape::Shape;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_term::{FloatOp, FloatSort, Rounding, Sort, SymbolId, Term, Terms};

#[derive(Clone, Copy, Debug, Default)]
pub struct BitVectors;

impl BitVectors {
    fn resize(terms: &mut Terms, a: Term, from: Shape, width: u8) -> Term {
        match from.width.cmp(&width) {
            std::cmp::Ordering::Less if from.signed => terms.bv_sign_extend(a, width),
            std::cmp::Ordering::Less => terms.bv_zero_extend(a, width),
            std::cmp::Ordering::Equal => a,
            std::cmp::Ordering::Greater => terms.bv_extract(width - 1, 0, a),
        }
    }
}

impl Arithmetic for BitVectors {
    fn sort(&self, shape: Shape) -> Sort {
        Sort::Bv(shape.width)
    }

    fn constant(&self, terms: &mut Terms, shape: Shape, value: i128) -> Term {
        terms.bv(shape.width, value as u128 & (u128::MAX >> (128 - u32::from(shape.width))))
    }

    fn introduce(&mut self, terms: &mut Terms, shape: Shape, _: SymbolId, term: Term) -> Term {
        if !shape.is_bool {
            return Terms::TRUE;
        }
        let one = terms.bv(shape.width, 1);
        terms.bv_ule(term, one)
    }

    fn is_in_range(&mut self, _: &Terms, shape: Shape, _: Term) -> bool {
        !shape.is_bool
    }

    fn unary(&mut self, terms: &mut Terms, op: UnaryOp, _: Shape, a: Term) -> Term {
        match op {
            UnaryOp::Neg => terms.bv_neg(a),
            UnaryOp::BitNot => terms.bv_not(a),
        }
    }

    fn binary(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        (a, b): (Term, Term),
        amount: Shape,
    ) -> Option<Term> {
        use BinaryOp::*;
        Some(match op {
            Add => terms.bv_add(a, b),
            Sub => terms.bv_sub(a, b),
            Mul => terms.bv_mul(a, b),
            Div if shape.signed => terms.bv_sdiv(a, b),
            Div => terms.bv_udiv(a, b),
            Rem if shape.signed => terms.bv_srem(a, b),
            Rem => terms.bv_urem(a, b),
            And => terms.bv_and(a, b),
            Or => terms.bv_or(a, b),
            Xor => terms.bv_xor(a, b),
            Shl | Shr => {
                // Other amounts are undefined; the machine takes them modulo the width.
                let by = Self::resize(terms, b, Shape { signed: false, ..amount }, shape.width);
                let most = terms.bv(shape.width, u128::from(shape.width) - 1);
                let by = terms.bv_and(by, most);
                match op {
                    Shl => terms.bv_shl(a, by),
                    _ if shape.signed => terms.bv_ashr(a, by),
                    _ => terms.bv_lshr(a, by),
                }
            }
            Eq | Ne | Lt | Le | Gt | Ge | PtrAdd | PtrSub | PtrDiff => return None,
        })
    }

    fn compare(&self, terms: &mut Terms, op: BinaryOp, shape: Shape, a: Term, b: Term) -> Term {
        match (op, shape.signed) {
            (BinaryOp::Eq, _) => terms.eq(a, b),
            (BinaryOp::Lt, true) => terms.bv_slt(a, b),
            (BinaryOp::Lt, false) => terms.bv_ult(a, b),
            (BinaryOp::Le, true) => terms.bv_sle(a, b),
            (BinaryOp::Le, false) => terms.bv_ule(a, b),
            (BinaryOp::Gt, true) => terms.bv_slt(b, a),
            (BinaryOp::Gt, false) => terms.bv_ult(b, a),
            (BinaryOp::Ge, true) => terms.bv_sle(b, a),
            (BinaryOp::Ge, false) => terms.bv_ule(b, a),
            _ => terms.ne(a, b),
        }
    }

    fn convert(&mut self, terms: &mut Terms, from: Shape, to: Shape, a: Term) -> Term {
        Self::resize(terms, a, from, to.width)
    }

    fn to_float(
        &mut self,
        terms: &mut Terms,
        rounding: Rounding,
        from: Shape,
        to: FloatSort,
        a: Term,
    ) -> Option<Term> {
        let op = if from.signed { FloatOp::FromSbv } else { FloatOp::FromUbv };
        Some(terms.float_rounded(op, rounding, &[a], to))
    }

    fn of_float(&mut self, terms: &mut Terms, to: Shape, a: Term) -> Option<Term> {
        Some(if to.signed { terms.float_to_sbv(a, to.width) } else { terms.float_to_ubv(a, to.width) })
    }

    fn to_bytes(&mut self, terms: &mut Terms, shape: Shape, a: Term) -> Vec<Term> {
        (0..shape.width / 8).map(|i| terms.bv_extract(8 * i + 7, 8 * i, a)).collect()
    }

    fn of_bytes(&mut self, terms: &mut Terms, shape: Shape, bytes: &[Term]) -> Term {
        let mut bytes = bytes.iter().copied();
        let Some(first) = bytes.next() else { return terms.bv(shape.width, 0) };
        bytes.fold(first, |low, high| terms.bv_concat(high, low))
    }

    fn field(&mut self, terms: &mut Terms, shape: Shape, a: Term, from: u32, width: u32) -> Term {
        let part = terms.bv_extract((from + width - 1) as u8, from as u8, a);
        terms.bv_zero_extend(part, shape.width)
    }
}
