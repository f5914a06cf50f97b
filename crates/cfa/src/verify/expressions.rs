//! The typing rules of expressions and places, checked bottom-up over the whole arena.
//!
//! A problem of a part is a problem of the whole; only what edges mention is reported, because the front end
//! may have made expressions that it then did not use. Children are made before their parents, so going
//! through both arenas in the order of creation needs no recursion.

use summa_base::IdVec;
use summa_c::arith::wrap;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, Exprs, FuncId, PlaceId, PlaceKind, Program, UnaryOp};
use summa_c::types::{Type, TypeId};

/// Whose frame the variables of an expression lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Static variables only, or none.
    Static,
    Of(FuncId),
    /// More than one function's: always wrong.
    Mixed,
}

impl Frame {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Static, x) | (x, Self::Static) => x,
            (Self::Of(a), Self::Of(b)) if a == b => self,
            _ => Self::Mixed,
        }
    }
}

#[derive(Clone, Copy)]
struct Fact {
    /// An index into `problems`.
    problem: Option<u32>,
    frame: Frame,
}

const UNKNOWN: Fact = Fact { problem: None, frame: Frame::Static };

pub(super) struct Facts {
    exprs: IdVec<ExprId, Fact>,
    places: IdVec<PlaceId, Fact>,
    problems: Vec<String>,
}

impl Facts {
    pub(super) fn collect(program: &Program) -> Self {
        let exprs = &program.exprs;
        let mut facts = Self {
            exprs: IdVec::with_capacity(exprs.len()),
            places: IdVec::with_capacity(exprs.places_len()),
            problems: Vec::new(),
        };
        // Of the next expression and the next place at least one was made when all its children existed.
        while facts.exprs.len() < exprs.len() || facts.places.len() < exprs.places_len() {
            let next = facts.exprs.next_id();
            if facts.exprs.len() < exprs.len() && facts.is_ready(exprs, next) {
                let fact = facts.expr(program, next);
                facts.exprs.push(fact);
            } else if facts.places.len() < exprs.places_len() {
                let fact = facts.place(program, facts.places.next_id());
                facts.places.push(fact);
            } else {
                let fact = facts.bad(UNKNOWN, || "an expression is older than its parts".to_string());
                facts.exprs.push(fact);
            }
        }
        facts
    }

    pub(super) fn expr_problem(&self, id: ExprId) -> Option<&str> {
        self.problem(self.exprs.get(id))
    }

    pub(super) fn place_problem(&self, id: PlaceId) -> Option<&str> {
        self.problem(self.places.get(id))
    }

    pub(super) fn expr_frame(&self, id: ExprId) -> Frame {
        self.exprs.get(id).map_or(Frame::Mixed, |fact| fact.frame)
    }

    pub(super) fn place_frame(&self, id: PlaceId) -> Frame {
        self.places.get(id).map_or(Frame::Mixed, |fact| fact.frame)
    }

    fn problem(&self, fact: Option<&Fact>) -> Option<&str> {
        match fact {
            None => Some("an id names nothing"),
            Some(fact) => fact.problem.map(|index| self.problems[index as usize].as_str()),
        }
    }

    /// Have the children been looked at? Only places can be missing: expressions come in their own order.
    fn is_ready(&self, exprs: &Exprs, id: ExprId) -> bool {
        match exprs.expr(id).kind {
            ExprKind::Load(place) | ExprKind::Addr(place) => self.places.get(place).is_some(),
            _ => true,
        }
    }

    fn bad(&mut self, fact: Fact, text: impl FnOnce() -> String) -> Fact {
        let problem = fact.problem.unwrap_or_else(|| {
            self.problems.push(text());
            self.problems.len() as u32 - 1
        });
        Fact { problem: Some(problem), ..fact }
    }

    fn join(a: Fact, b: Fact) -> Fact {
        Fact { problem: a.problem.or(b.problem), frame: a.frame.with(b.frame) }
    }

    fn known_expr(&mut self, id: ExprId) -> Fact {
        match self.exprs.get(id) {
            Some(&fact) => fact,
            None => self.bad(UNKNOWN, || format!("{id} is younger than its parent")),
        }
    }

    fn known_place(&mut self, id: PlaceId) -> Fact {
        match self.places.get(id) {
            Some(&fact) => fact,
            None => self.bad(UNKNOWN, || format!("{id} is younger than its parent")),
        }
    }

    fn expr(&mut self, program: &Program, id: ExprId) -> Fact {
        let types = &program.types;
        let exprs = &program.exprs;
        let expr = exprs.expr(id);
        let ty = expr.ty;
        let (fact, holds) = match expr.kind {
            ExprKind::Int(value) => {
                (UNKNOWN, (types.is_integer(ty) || types.is_pointer(ty)) && wrap(types, ty, value) == value)
            }
            ExprKind::Float(_) => (UNKNOWN, types.is_float(ty)),
            ExprKind::Load(place) => {
                let copies = types.is_scalar(ty) || types.record_of(ty).is_some();
                (self.known_place(place), copies && exprs.place(place).ty == ty)
            }
            ExprKind::Addr(place) => {
                let target = exprs.place(place).ty;
                let fits = types.pointee(ty).is_some_and(|pointee| types.compatible(pointee, target));
                (self.known_place(place), fits && program.bit_field(place).is_none())
            }
            ExprKind::Function(function) => {
                let known = program.functions.get(function).is_some();
                (UNKNOWN, known && types.is_pointer(ty) && types.function_type(ty).is_some())
            }
            ExprKind::Unary(op, a) => {
                let good = match op {
                    UnaryOp::Neg => types.is_arithmetic(ty),
                    UnaryOp::BitNot => types.is_integer(ty),
                };
                (self.known_expr(a), good && exprs.type_of(a) == ty)
            }
            ExprKind::Binary(op, a, b) => {
                let fact = Self::join(self.known_expr(a), self.known_expr(b));
                (fact, binary_holds(program, op, exprs.type_of(a), exprs.type_of(b), ty))
            }
            ExprKind::Cast(a) => {
                let from = exprs.type_of(a);
                let scalars = types.is_scalar(from) && types.is_scalar(ty);
                let pointer_and_float = types.is_pointer(from) && types.is_float(ty)
                    || types.is_float(from) && types.is_pointer(ty);
                (self.known_expr(a), scalars && !pointer_and_float)
            }
        };
        if holds {
            return fact;
        }
        self.bad(fact, || {
            let text = types.declare(ty, "", &program.names);
            format!("`{}` is ill-typed as `{text}` ({:?})", summa_c::print::expr(program, id), expr.kind)
        })
    }

    fn place(&mut self, program: &Program, id: PlaceId) -> Fact {
        let types = &program.types;
        let exprs = &program.exprs;
        let place = exprs.place(id);
        let ty = place.ty;
        let (fact, holds) = match place.kind {
            PlaceKind::Var(var) => match program.vars.get(var) {
                Some(variable) => {
                    let frame = variable.kind.frame().map_or(Frame::Static, Frame::Of);
                    // A later declaration may have completed the type of an array.
                    (Fact { problem: None, frame }, types.compatible(variable.ty, ty))
                }
                None => (UNKNOWN, false),
            },
            PlaceKind::Deref(pointer) => {
                let pointee = types.pointee(exprs.type_of(pointer));
                (self.known_expr(pointer), pointee.is_some_and(|pointee| types.compatible(pointee, ty)))
            }
            PlaceKind::Field(base, index) => {
                let record = types.record_of(exprs.place(base).ty);
                let field = record.and_then(|record| types.record(record).fields.get(index as usize));
                (self.known_place(base), field.is_some_and(|field| field.ty == ty))
            }
            PlaceKind::Index(base, index) => {
                let element = match types.get(exprs.place(base).ty) {
                    Type::Array(element, _) => Some(*element),
                    _ => None,
                };
                let fact = Self::join(self.known_place(base), self.known_expr(index));
                (fact, element == Some(ty) && exprs.type_of(index) == types.ptrdiff_t)
            }
        };
        if holds {
            return fact;
        }
        self.bad(fact, || {
            let text = types.declare(ty, "", &program.names);
            format!(
                "the place `{}` is ill-typed as `{text}` ({:?})",
                summa_c::print::place(program, id),
                place.kind
            )
        })
    }
}

fn binary_holds(program: &Program, op: BinaryOp, a: TypeId, b: TypeId, ty: TypeId) -> bool {
    use BinaryOp::*;
    let types = &program.types;
    match op {
        Add | Sub | Mul | Div => a == ty && b == ty && types.is_arithmetic(ty),
        Rem | And | Or | Xor => a == ty && b == ty && types.is_integer(ty),
        Shl | Shr => a == ty && types.is_integer(ty) && types.is_integer(b),
        Eq | Ne | Lt | Le | Gt | Ge => a == b && types.is_scalar(a) && ty == types.int,
        PtrAdd | PtrSub => a == ty && types.is_pointer(ty) && b == types.ptrdiff_t,
        PtrDiff => a == b && types.is_pointer(a) && ty == types.ptrdiff_t,
    }
}
