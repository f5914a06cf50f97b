//! Relations between integer cells, as candidates for invariants: x = y, x ≤ y, -y ≤ x, x + y = z, with C's
//! arithmetic.

use crate::arithmetic::Encoding;
use crate::cells::CellId;
use crate::encoder::Encoder;
use crate::shape::Shape;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_term::Term;

impl Encoder<'_> {
    /// The shape of the integer that a cell holds, if it is a scalar of the program.
    pub(crate) fn shape_of(&self, cell: CellId) -> Option<Shape> {
        let remembered = self.cells.original(cell).unwrap_or(cell);
        let (var, offset) = self.cells.cells[remembered].variable?;
        let program = &self.cfa.program;
        let leaves = self.leaves().parts(program.vars[var].ty)?;
        let leaf = leaves.into_iter().find(|leaf| leaf.offset == offset)?;
        let crate::leaves::LeafKind::Scalar(ty) = leaf.kind else { return None };
        let shape = Shape::of(&program.types, ty)?;
        (self.arithmetic.sort(shape) == self.cells.cells[cell].sort).then_some(shape)
    }

    fn both(&mut self, x: CellId, y: CellId) -> Option<(Shape, Term, Term)> {
        let shape = self.shape_of(x).filter(|&shape| self.shape_of(y) == Some(shape))?;
        let symbols = [x, y].map(|cell| self.cells.cells[cell].symbol);
        Some((shape, self.terms.symbol(symbols[0], 0), self.terms.symbol(symbols[1], 0)))
    }

    /// x = y, x ≤ y, y ≤ x, x < y, y < x, for cells of one type.
    pub fn relate(&mut self, x: CellId, y: CellId) -> Vec<Term> {
        let Some((shape, x, y)) = self.both(x, y) else { return Vec::new() };
        let compare =
            |encoder: &mut Self, op, a, b| encoder.arithmetic.compare(&mut encoder.terms, op, shape, a, b);
        vec![
            compare(self, BinaryOp::Eq, x, y),
            compare(self, BinaryOp::Le, x, y),
            compare(self, BinaryOp::Le, y, x),
            compare(self, BinaryOp::Lt, x, y),
            compare(self, BinaryOp::Lt, y, x),
        ]
    }

    /// x + y ≥ 0 and x + y ≤ 0, for cells of one signed type: together with the order, |x| ≤ y.
    pub fn balance(&mut self, x: CellId, y: CellId) -> Vec<Term> {
        let Some((shape, x, y)) = self.both(x, y).filter(|(shape, ..)| shape.signed) else {
            return Vec::new();
        };
        let opposite = match self.encoding {
            Encoding::Int => self.terms.neg(y),
            Encoding::BitVector => self.arithmetic.unary(&mut self.terms, UnaryOp::Neg, shape, y),
        };
        [BinaryOp::Ge, BinaryOp::Le]
            .map(|op| self.arithmetic.compare(&mut self.terms, op, shape, x, opposite))
            .to_vec()
    }

    /// x + y = z, for cells of one type.
    pub fn sum_is(&mut self, x: CellId, y: CellId, z: CellId) -> Option<Term> {
        let (shape, a, b) = self.both(x, y)?;
        let (_, _, c) = self.both(x, z)?;
        let sum = self.arithmetic.binary(&mut self.terms, BinaryOp::Add, shape, (a, b), shape)?;
        Some(self.arithmetic.compare(&mut self.terms, BinaryOp::Eq, shape, sum, c))
    }
}
