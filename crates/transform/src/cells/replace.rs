//! The last step of the transformation: elements become cells.
//!
//! * A read `x = a[i]` becomes: if `i` is the index of a cell, `x` is the cell; otherwise `x` is what a
//!   variable still holds of the same read, or any value.
//! * A write `a[i] = v` becomes: every cell whose index is `i` gets `v`.
//! * Where the life of an array begins, its cells have any value; where it is zeroed, they are zero.
//! * A flag gets a bad constant only if the chosen numbers equal the variables that they stand for, or an
//!   element that was read before is outside of its row.
//! * A doomed branch is passed only if the chosen numbers equal the variables that they stand for, or an
//!   element that was read before it is outside of its row.

use super::arrays::{Access, ArrayId, Arrays};
use super::choose::{ArrayCellId, Choice, Required};
use super::kept::Kept;
use super::sketch::{Sketch, redraw};
use crate::origin::Origin;
use summa_c::Span;
use summa_c::tree::{BinaryOp, BranchOrigin, ExprId, ExprKind, PlaceId, PlaceKind, Program};
use summa_c::types::ArrayLen;
use summa_cfa::BuildError;
use summa_cfa::{AssumeOrigin, Cfa, Edge, EdgeId, HavocSource, NodeId, Op};

/// Branches that the source does not have.
const MADE: AssumeOrigin = AssumeOrigin::Branch(BranchOrigin::Conditional);
/// Values that cells do not know.
const ANY: HavocSource = HavocSource::Abstraction;

pub(super) fn replace(
    cfa: &Cfa,
    program: Program,
    arrays: &Arrays,
    choice: &Choice,
    kept: &Kept,
) -> Result<(Cfa, Origin), BuildError> {
    redraw(cfa, program, |sketch, leaving| {
        let mut replace = Replace { sketch, arrays, choice, kept };
        if leaving.first().is_some_and(|&edge| cfa.edges[edge].from == cfa.entry()) {
            replace.start();
        }
        let from = replace.sketch.current;
        for &edge in leaving {
            replace.sketch.current = from;
            replace.sketch.draw(edge);
            replace.edge(edge, &cfa.edges[edge]);
        }
    })
}

struct Replace<'s, 'a, 'c> {
    sketch: &'s mut Sketch<'c>,
    arrays: &'a Arrays,
    choice: &'a Choice,
    kept: &'a Kept,
}

impl Replace<'_, '_, '_> {
    /// Chooses the numbers.
    fn start(&mut self) {
        let choice = self.choice;
        let vars = choice.chosen.iter().copied().chain(choice.cells.values().map(|cell| cell.var));
        for var in vars {
            let place = self.sketch.program.exprs.var(var, self.sketch.program.vars[var].ty);
            self.sketch.step(Op::Havoc { place, source: ANY }, Span::NONE);
        }
        for &bound in &choice.bounds {
            self.sketch.require(bound, AssumeOrigin::Assumption, Span::NONE);
        }
    }

    fn edge(&mut self, id: EdgeId, edge: &Edge) {
        let span = edge.span;
        match &edge.op {
            Op::Assume { origin, .. } if let Some(required) = self.choice.required.get(&id) => {
                self.sketch.step(edge.op.clone(), span);
                // Only branches of checks lead to the errors of checks.
                let (asked, made) = match *origin == AssumeOrigin::Check {
                    true => (AssumeOrigin::Check, AssumeOrigin::Check),
                    false => (AssumeOrigin::Assumption, MADE),
                };
                let outside = self.outside(required, made, span);
                for &condition in &required.equations {
                    self.sketch.require(condition, asked, span);
                }
                self.gather(outside, span);
            }
            Op::Assign { .. } if let Some(required) = self.choice.required.get(&id) => {
                let end = self.sketch.node(span);
                let outside = self.outside(required, MADE, span);
                for &condition in &required.equations {
                    let (yes, no) = self.sketch.branch(condition, MADE, span);
                    self.sketch.current = no;
                    self.sketch.join(end, span);
                    self.sketch.current = yes;
                }
                self.gather(outside, span);
                self.sketch.step(edge.op.clone(), span);
                self.sketch.join(end, span);
                self.sketch.current = end;
            }
            Op::Assign { place, value } => {
                if let Some(access) = self.access(*place) {
                    self.write(&access, span, |place| Op::Assign { place, value: *value });
                } else if let Some(access) = self.loaded(*value) {
                    self.read(id, *place, &access, span);
                } else {
                    self.sketch.step(edge.op.clone(), span);
                    // The pointer to an array that was just allocated.
                    self.renew(self.whole(*place), span, |place| Op::Havoc { place, source: ANY });
                }
            }
            Op::Zero { place } => match (self.access(*place), self.whole(*place)) {
                (Some(access), _) => self.write(&access, span, |place| Op::Zero { place }),
                (None, array) => {
                    self.sketch.step(edge.op.clone(), span);
                    self.renew(array, span, |place| Op::Zero { place });
                }
            },
            Op::Havoc { place, source } => match (self.access(*place), self.whole(*place)) {
                // One value for all cells with this index, as in an assignment.
                (Some(access), _) => {
                    let temp = self.sketch.temp("element", self.arrays.all[access.array].element, span);
                    self.sketch.step(Op::Havoc { place: temp, source: *source }, span);
                    let value = self.sketch.program.exprs.load(temp);
                    self.write(&access, span, |place| Op::Assign { place, value });
                }
                (None, array) => {
                    self.sketch.step(edge.op.clone(), span);
                    self.renew(array, span, |place| Op::Havoc { place, source: *source });
                }
            },
            Op::Declare { var } => {
                self.sketch.step(edge.op.clone(), span);
                self.renew(self.arrays.origin(*var), span, |place| Op::Havoc { place, source: ANY });
            }
            op => return self.sketch.lead(op.clone(), edge.to, span),
        }
        self.sketch.lead(Op::Skip, edge.to, span);
    }

    /// Continues where all elements that were read are within their rows. Returns where control goes
    /// otherwise.
    fn outside(&mut self, required: &Required, origin: AssumeOrigin, span: Span) -> Vec<NodeId> {
        required.reads.iter().filter_map(|access| self.check_inner(access, origin, span)).collect()
    }

    /// Continues from here and from all these nodes together.
    fn gather(&mut self, nodes: Vec<NodeId>, span: Span) {
        for node in nodes {
            self.sketch.join(node, span);
            self.sketch.current = node;
        }
    }

    fn access(&self, place: PlaceId) -> Option<Access> {
        let program = &self.sketch.program;
        self.arrays.access(program, place)
    }

    fn loaded(&self, value: ExprId) -> Option<Access> {
        match self.sketch.program.exprs.expr(value).kind {
            ExprKind::Load(place) => self.access(place),
            _ => None,
        }
    }

    /// The array that begins where this place is written as a whole.
    fn whole(&self, place: PlaceId) -> Option<ArrayId> {
        match self.sketch.program.exprs.place(place).kind {
            PlaceKind::Var(var) => self.arrays.origin(var),
            _ => None,
        }
    }

    /// Does something to all cells of an array.
    fn renew(&mut self, array: Option<ArrayId>, span: Span, op: impl Fn(PlaceId) -> Op) {
        for &cell in array.into_iter().flat_map(|array| &self.choice.by_array[array]) {
            let place = self.cell(cell);
            self.sketch.step(op(place), span);
        }
    }

    fn cell(&mut self, cell: ArrayCellId) -> PlaceId {
        let var = self.choice.cells[cell].var;
        self.sketch.program.exprs.var(var, self.sketch.program.vars[var].ty)
    }

    fn read(&mut self, id: EdgeId, place: PlaceId, access: &Access, span: Span) {
        let end = self.sketch.node(span);
        let outside = self.check_inner(access, MADE, span);
        for &cell in &self.choice.by_array[access.array] {
            let other = self.sketch.node(span);
            self.find(cell, access, other, span);
            let from = self.cell(cell);
            let value = self.sketch.program.exprs.load(from);
            self.sketch.step(Op::Assign { place, value }, span);
            self.sketch.join(end, span);
            self.sketch.current = other;
        }
        if let Some(outside) = outside {
            self.sketch.join(outside, span);
            self.sketch.current = outside;
        }
        let otherwise = match self.kept.get(&id) {
            Some(&holder) => {
                let held = self.sketch.program.exprs.var(holder, self.sketch.program.vars[holder].ty);
                Op::Assign { place, value: self.sketch.program.exprs.load(held) }
            }
            None => Op::Havoc { place, source: ANY },
        };
        self.sketch.step(otherwise, span);
        self.sketch.join(end, span);
        self.sketch.current = end;
    }

    fn write(&mut self, access: &Access, span: Span, op: impl Fn(PlaceId) -> Op) {
        let end = self.sketch.node(span);
        let outside = self.check_inner(access, MADE, span);
        for &cell in &self.choice.by_array[access.array] {
            let next = self.sketch.node(span);
            self.find(cell, access, next, span);
            let place = self.cell(cell);
            self.sketch.step(op(place), span);
            self.sketch.join(next, span);
            self.sketch.current = next;
        }
        self.sketch.join(end, span);
        // An index that leaves its row may be in any other one.
        if let Some(outside) = outside {
            self.sketch.current = outside;
            for &cell in &self.choice.by_array[access.array] {
                let place = self.cell(cell);
                self.sketch.step(Op::Havoc { place, source: ANY }, span);
            }
            self.sketch.join(end, span);
        }
        self.sketch.current = end;
    }

    /// Continues where the element is this cell; otherwise control goes to `other`.
    fn find(&mut self, cell: ArrayCellId, access: &Access, other: NodeId, span: Span) {
        for (&index, &wanted) in access.indices.iter().zip(&self.choice.cells[cell].indices) {
            if index == wanted {
                continue;
            }
            let condition = self.sketch.compare(BinaryOp::Eq, index, wanted);
            let (yes, no) = self.sketch.branch(condition, MADE, span);
            self.sketch.current = no;
            self.sketch.join(other, span);
            self.sketch.current = yes;
        }
    }

    /// Continues where all indices except the first are within their rows, and the first one too if rows have
    /// a variable length. Then different indices are different elements. Returns where control goes
    /// otherwise; None if the array has one dimension.
    fn check_inner(&mut self, access: &Access, origin: AssumeOrigin, span: Span) -> Option<NodeId> {
        if access.indices.len() < 2 {
            return None;
        }
        let outside = self.sketch.node(span);
        let lengths = &self.arrays.all[access.array].lengths;
        let is_variable = |length: &ArrayLen| matches!(length, ArrayLen::Variable(_));
        let unchecked = if lengths.iter().skip(1).any(is_variable) { 0 } else { 1 };
        for (&index, &length) in access.indices.iter().zip(lengths).skip(unchecked) {
            let program = &mut *self.sketch.program;
            let ty = program.types.ptrdiff_t;
            let zero = program.exprs.int(&program.types, ty, 0);
            let length = match length {
                ArrayLen::Fixed(length) => program.exprs.int(&program.types, ty, i128::from(length)),
                // More than an index can count would be less than zero here: then nothing is within.
                ArrayLen::Variable(var) => {
                    let place = program.exprs.var(var, program.vars[var].ty);
                    let length = program.exprs.load(place);
                    program.exprs.intern(ExprKind::Cast(length), ty)
                }
                ArrayLen::Unknown => zero,
            };
            for (op, bound) in [(BinaryOp::Ge, zero), (BinaryOp::Lt, length)] {
                let condition = self.sketch.compare(op, index, bound);
                let (yes, no) = self.sketch.branch(condition, origin, span);
                self.sketch.current = no;
                self.sketch.join(outside, span);
                self.sketch.current = yes;
            }
        }
        Some(outside)
    }
}
