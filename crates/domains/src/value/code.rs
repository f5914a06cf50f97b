//! Expressions as short programs for a stack machine. They are made once, so evaluation needs neither
//! recursion nor look-ups of types.
//!
//! A place becomes code that leaves its address; [`Instr::Load`] reads there.

use super::cells::width;
use super::constant::{Constant, low};
use std::rc::Rc;
use summa_base::FxHashMap;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Program, UnaryOp, VarId};
use summa_c::types::{Type, TypeId};

#[derive(Clone, Copy, Debug)]
pub(super) enum Instr {
    Push(Constant),
    /// The address of a variable, on the way to one of its parts.
    Variable(VarId),
    /// The address on top moves by bytes.
    Advance(i64),
    /// Address and index become the address of an element of this size.
    Index {
        index: TypeId,
        stride: u64,
    },
    /// The address on top becomes a value that the program can keep.
    Keep,
    /// The value of this type at the address on top; `bits` are those of a bit-field, from the address on.
    Load {
        ty: TypeId,
        bits: Option<(u32, u32)>,
    },
    Unary(UnaryOp, TypeId),
    Binary(BinaryOp, TypeId, TypeId),
    /// Pointer and index become a pointer; the index counts backwards for `is_back`.
    Move {
        ty: TypeId,
        index: TypeId,
        stride: u64,
        is_back: bool,
    },
    Difference {
        ty: TypeId,
        stride: u64,
    },
    Cast(TypeId, TypeId),
    /// Replaces this many values by one that is not known.
    Lose(u32),
}

pub(super) type Code = Rc<[Instr]>;

#[derive(Default)]
pub(super) struct Compiler {
    values: FxHashMap<ExprId, Code>,
    addresses: FxHashMap<PlaceId, Code>,
}

enum Todo {
    Value(ExprId),
    Address(PlaceId),
    Emit(Instr),
}

impl Compiler {
    pub(super) fn value(&mut self, program: &Program, expr: ExprId) -> Code {
        let code = self.values.entry(expr).or_insert_with(|| compile(program, Todo::Value(expr)));
        code.clone()
    }

    pub(super) fn address(&mut self, program: &Program, place: PlaceId) -> Code {
        let code = self.addresses.entry(place).or_insert_with(|| compile(program, Todo::Address(place)));
        code.clone()
    }
}

fn compile(program: &Program, what: Todo) -> Code {
    let (mut code, mut todo) = (Vec::new(), vec![what]);
    while let Some(next) = todo.pop() {
        match next {
            Todo::Emit(instr) => code.push(instr),
            Todo::Value(expr) => value(program, expr, &mut todo),
            Todo::Address(place) => address(program, place, &mut todo),
        }
    }
    code.into()
}

/// The last pushed item is processed first.
fn value(program: &Program, id: ExprId, todo: &mut Vec<Todo>) {
    let (exprs, types) = (&program.exprs, &program.types);
    let expr = exprs.expr(id);
    let ty = expr.ty;
    let stride = |pointer: TypeId| types.pointee(pointer).and_then(|target| types.stride(target));
    match expr.kind {
        ExprKind::Int(value) => {
            let bits = types.int_width(ty).map(|width| Constant::Int(low(width, value)));
            todo.push(Todo::Emit(bits.map_or(Instr::Lose(0), Instr::Push)));
        }
        ExprKind::Float(bits) => {
            let constant = types.float_kind(ty).map(|kind| Constant::Float(kind, bits));
            todo.push(Todo::Emit(constant.map_or(Instr::Lose(0), Instr::Push)));
        }
        ExprKind::Function(function) => todo.push(Todo::Emit(Instr::Push(Constant::Function(function)))),
        // A whole record: code that copies one looks at its place.
        ExprKind::Load(_) if width(types, ty).is_none() => todo.push(Todo::Emit(Instr::Lose(0))),
        ExprKind::Load(place) => {
            let bits = program.bit_field(place).map(|bits| ((bits.offset % 8) as u32, bits.width));
            todo.extend([Todo::Emit(Instr::Load { ty, bits }), Todo::Address(place)]);
        }
        ExprKind::Addr(place) => todo.extend([Todo::Emit(Instr::Keep), Todo::Address(place)]),
        ExprKind::Unary(op, inner) => {
            todo.extend([Todo::Emit(Instr::Unary(op, ty)), Todo::Value(inner)]);
        }
        ExprKind::Cast(inner) => {
            todo.extend([Todo::Emit(Instr::Cast(exprs.type_of(inner), ty)), Todo::Value(inner)]);
        }
        ExprKind::Binary(op, left, right) => {
            let (a, b) = (exprs.type_of(left), exprs.type_of(right));
            let instr = match op {
                BinaryOp::PtrAdd | BinaryOp::PtrSub => stride(a).map(|stride| Instr::Move {
                    ty,
                    index: b,
                    stride,
                    is_back: op == BinaryOp::PtrSub,
                }),
                BinaryOp::PtrDiff => stride(a).map(|stride| Instr::Difference { ty: a, stride }),
                _ => Some(Instr::Binary(op, a, b)),
            };
            let instr = instr.unwrap_or(Instr::Lose(2));
            todo.extend([Todo::Emit(instr), Todo::Value(right), Todo::Value(left)]);
        }
    }
}

fn address(program: &Program, place: PlaceId, todo: &mut Vec<Todo>) {
    let (exprs, types) = (&program.exprs, &program.types);
    match exprs.place(place).kind {
        PlaceKind::Var(var) => todo.push(Todo::Emit(Instr::Variable(var))),
        PlaceKind::Deref(pointer) => match exprs.expr(pointer).kind {
            ExprKind::Addr(inner) => todo.push(Todo::Address(inner)),
            _ => todo.push(Todo::Value(pointer)),
        },
        PlaceKind::Field(inner, index) => {
            let offset = match *types.get(exprs.place(inner).ty) {
                Type::Record(record) => types.record(record).fields.get(index as usize).map(|f| f.offset),
                _ => None,
            };
            let offset = offset.and_then(|offset| i64::try_from(offset).ok());
            let instr = offset.map_or(Instr::Lose(1), Instr::Advance);
            todo.extend([Todo::Emit(instr), Todo::Address(inner)]);
        }
        PlaceKind::Index(inner, index) => {
            let stride = types.size_of(exprs.place(place).ty);
            let instr = stride.map(|stride| Instr::Index { index: exprs.type_of(index), stride });
            let instr = instr.unwrap_or(Instr::Lose(2));
            todo.extend([Todo::Emit(instr), Todo::Value(index), Todo::Address(inner)]);
        }
    }
}
