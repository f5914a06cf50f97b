//! C's integer arithmetic as terms, behind one interface with two implementations: mathematical integers and
//! bit-vectors.
//!
//! Over integers, wrap-around is a case split, left out where bounds show that it cannot happen. Over
//! bit-vectors everything is exact. An operation without an exact translation gives `None`. The caller then
//! takes any value of the type and notes the approximation. Proofs stay sound, and a counterexample that
//! depends on the approximation does not replay.

mod bits;
mod bitvector;
mod bounds;
mod integer;

pub use bitvector::BitVectors;
pub use integer::Integers;

use crate::shape::Shape;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_term::{FloatSort, Rounding, Sort, SymbolId, Term, Terms};

/// Which arithmetic to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// Mathematical integers; wrap-around by case split.
    Int,
    /// Bit-precise.
    BitVector,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::BitVector => "bitvector",
        }
    }
}

/// How values of integer types and offsets of pointers are written as terms. A term of an integer type always
/// lies in the range of the type.
pub trait Arithmetic {
    fn sort(&self, shape: Shape) -> Sort;

    fn constant(&self, terms: &mut Terms, shape: Shape, value: i128) -> Term;

    /// A symbol that may hold any value of the type was made; returns what must be assumed about it.
    fn introduce(&mut self, terms: &mut Terms, shape: Shape, symbol: SymbolId, term: Term) -> Term;

    /// Is it known that the term lies in the range of the type?
    fn is_in_range(&mut self, terms: &Terms, shape: Shape, term: Term) -> bool;

    fn unary(&mut self, terms: &mut Terms, op: UnaryOp, shape: Shape, a: Term) -> Term;

    /// Arithmetic operators, on operands of one shape; a shift amount has the shape `amount`.
    fn binary(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        shape: Shape,
        operands: (Term, Term),
        amount: Shape,
    ) -> Option<Term>;

    /// What holds of the result of an operator that has no exact translation: true of what C computes.
    fn facts(&mut self, _: &mut Terms, _: BinaryOp, _: Shape, _: (Term, Term), _result: Term) -> Term {
        Terms::TRUE
    }

    /// Comparisons, as formulas.
    fn compare(&self, terms: &mut Terms, op: BinaryOp, shape: Shape, a: Term, b: Term) -> Term;

    /// Conversion between integer types (not to `_Bool`, which is a comparison).
    fn convert(&mut self, terms: &mut Terms, from: Shape, to: Shape, a: Term) -> Term;

    /// The number in a floating-point format, rounded in a direction.
    fn to_float(
        &mut self,
        terms: &mut Terms,
        rounding: Rounding,
        from: Shape,
        to: FloatSort,
        a: Term,
    ) -> Option<Term>;

    /// Truncation; any value where C leaves it undefined.
    fn of_float(&mut self, terms: &mut Terms, to: Shape, a: Term) -> Option<Term>;

    /// The bytes of a value, lowest first.
    fn to_bytes(&mut self, terms: &mut Terms, shape: Shape, a: Term) -> Vec<Term>;

    /// The value with these bytes, lowest first.
    fn of_bytes(&mut self, terms: &mut Terms, shape: Shape, bytes: &[Term]) -> Term;

    /// The unsigned number in bits `from..from + width` of an unsigned value.
    fn field(&mut self, terms: &mut Terms, shape: Shape, a: Term, from: u32, width: u32) -> Term;

    /// A formula as 0 or 1 of the type.
    fn of_bool(&self, terms: &mut Terms, shape: Shape, condition: Term) -> Term {
        let (one, zero) = (self.constant(terms, shape, 1), self.constant(terms, shape, 0));
        terms.ite(condition, one, zero)
    }
}

/// `2^exponent` where it fits.
pub(crate) fn power(exponent: u32) -> i128 {
    1i128 << exponent
}
