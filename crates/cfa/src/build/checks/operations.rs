//! The operators that an edge evaluates, in the order of evaluation.

use crate::cfa::Op;
use summa_base::IdSet;
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind, Program};

/// What may have to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Expression(ExprId),
    /// `abs` and the like of a value, in a type of this width.
    Absolute(ExprId, u32),
    /// An array and an index of it.
    Index(PlaceId, ExprId),
    /// A pointer is followed.
    Followed,
}

/// The operators in an operation, in the order of evaluation; each once. Pointers that are followed only if
/// they are asked for.
pub(super) fn operations(program: &Program, op: &Op, with_pointers: bool) -> Vec<Operation> {
    let mut walk = Walk { with_pointers, ..Walk::default() };
    match op {
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. }
        | Op::Return { value: None } => {}
        Op::Assign { place, value } => {
            walk.place(program, *place);
            walk.expr(program, *value);
        }
        Op::Assume { condition, .. } => walk.expr(program, *condition),
        Op::Zero { place } | Op::Havoc { place, .. } => walk.place(program, *place),
        Op::Call { result, args, .. } | Op::External { result, args, .. } => {
            args.iter().for_each(|&arg| walk.expr(program, arg));
            result.iter().for_each(|&place| walk.place(program, place));
        }
        Op::Library { result, args, model, .. } => {
            args.iter().for_each(|&arg| walk.expr(program, arg));
            // Those of a signed integer are the absolute values.
            let parameter = model.integer_parameter(program.types.model).filter(|it| it.signed);
            let of = args.first().copied().zip(parameter);
            walk.found.extend(of.map(|(arg, parameter)| Operation::Absolute(arg, parameter.width)));
            result.iter().for_each(|&place| walk.place(program, place));
        }
        Op::Return { value: Some(value) } => walk.expr(program, *value),
    }
    walk.found
}

/// Expressions in post-order, with a stack of our own.
#[derive(Default)]
struct Walk {
    found: Vec<Operation>,
    seen: IdSet<ExprId>,
    seen_places: IdSet<PlaceId>,
    with_pointers: bool,
}

enum Part {
    Expr(ExprId),
    Place(PlaceId),
    /// The operands have been walked.
    Done(ExprId),
    DoneIndex(PlaceId, ExprId),
    Followed,
}

impl Walk {
    fn expr(&mut self, program: &Program, expr: ExprId) {
        self.walk(program, Part::Expr(expr));
    }

    fn place(&mut self, program: &Program, place: PlaceId) {
        self.walk(program, Part::Place(place));
    }

    fn walk(&mut self, program: &Program, part: Part) {
        let mut todo = vec![part];
        while let Some(part) = todo.pop() {
            match part {
                Part::Done(id) => self.found.push(Operation::Expression(id)),
                Part::DoneIndex(array, index) => self.found.push(Operation::Index(array, index)),
                Part::Followed if self.with_pointers => self.found.push(Operation::Followed),
                Part::Followed => {}
                Part::Place(id) if !self.seen_places.insert(id) => {}
                Part::Expr(id) if !self.seen.insert(id) => {}
                Part::Expr(id) => match program.exprs.expr(id).kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                    ExprKind::Load(place) | ExprKind::Addr(place) => todo.push(Part::Place(place)),
                    ExprKind::Cast(a) => todo.push(Part::Expr(a)),
                    ExprKind::Unary(_, a) => todo.extend([Part::Done(id), Part::Expr(a)]),
                    ExprKind::Binary(_, a, b) => {
                        todo.extend([Part::Done(id), Part::Expr(b), Part::Expr(a)]);
                    }
                },
                Part::Place(id) => match program.exprs.place(id).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(pointer) => todo.extend([Part::Followed, Part::Expr(pointer)]),
                    PlaceKind::Field(base, _) => todo.push(Part::Place(base)),
                    PlaceKind::Index(base, index) => {
                        todo.extend([Part::DoneIndex(base, index), Part::Expr(index), Part::Place(base)]);
                    }
                },
            }
        }
    }
}
