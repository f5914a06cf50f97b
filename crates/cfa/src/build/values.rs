//! Values that go into calls and come out of them.

use super::function::FunctionBuilder;
use crate::cfa::Op;
use summa_c::Span;
use summa_c::tree::{ExprId, ExprKind, PlaceKind};
use summa_c::types::{FloatKind, Type, TypeId};

impl FunctionBuilder<'_> {
    /// Equal types, or a record of one tag from two files.
    pub(super) fn same_value(&self, a: TypeId, b: TypeId) -> bool {
        let types = &self.context.program.types;
        a == b || types.is_aggregate(a) && types.compatible(a, b)
    }

    /// Does a callee that expects `to` read the value that a caller passed as `from`? The same question for
    /// results.
    pub(super) fn passes(&self, from: TypeId, to: TypeId) -> bool {
        let types = &self.context.program.types;
        match (types.get(from), types.get(to)) {
            (Type::Int(_) | Type::Pointer(_), Type::Int(_) | Type::Pointer(_)) => {
                let (sent, read) = (types.size_of(from), types.size_of(to));
                // Without a prototype, `char` and `short` parameters get promoted arguments.
                sent == read || sent == types.size_of(types.int) && read < sent
            }
            (Type::Float(a), Type::Float(b)) => a == b || *a == FloatKind::Double && *b == FloatKind::Float,
            _ => self.same_value(from, to),
        }
    }

    /// The argument as the callee sees it.
    pub(super) fn pass(&mut self, arg: ExprId, ty: TypeId) -> Option<ExprId> {
        if self.passes(self.context.program.exprs.type_of(arg), ty) { self.convert(arg, ty) } else { None }
    }

    /// `(ty)value`; None if C has no such conversion.
    pub(super) fn convert(&mut self, value: ExprId, ty: TypeId) -> Option<ExprId> {
        let program = &mut self.context.program;
        let from = program.exprs.type_of(value);
        if from == ty {
            return Some(value);
        }
        match (program.types.get(from), program.types.get(ty)) {
            (Type::Float(_), Type::Pointer(_)) | (Type::Pointer(_), Type::Float(_)) => None,
            _ if program.types.is_scalar(from) && program.types.is_scalar(ty) => {
                match program.exprs.as_int(value) {
                    Some(constant) if !program.types.is_float(ty) => {
                        Some(program.exprs.int(&program.types, ty, constant))
                    }
                    _ => Some(program.exprs.intern(ExprKind::Cast(value), ty)),
                }
            }
            _ => self.same_value(from, ty).then_some(value),
        }
    }

    /// Evaluates arguments whose values are not used, by assigning them to temporaries, so that an overflow
    /// or an invalid read in them is found.
    pub(super) fn evaluate(&mut self, args: &[ExprId], span: Span) {
        for &value in args {
            let exprs = &self.context.program.exprs;
            let cannot_fail = match exprs.expr(value).kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => true,
                ExprKind::Load(place) | ExprKind::Addr(place) => match exprs.place(place).kind {
                    PlaceKind::Var(_) => true,
                    PlaceKind::Index(array, index) => {
                        matches!(exprs.place(array).kind, PlaceKind::Var(_)) && exprs.as_int(index) == Some(0)
                    }
                    PlaceKind::Deref(_) | PlaceKind::Field(..) => false,
                },
                ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Cast(_) => false,
            };
            if !cannot_fail {
                let place = self.temp("unused", exprs.type_of(value), span);
                self.step(Op::Assign { place, value }, span);
            }
        }
    }
}
