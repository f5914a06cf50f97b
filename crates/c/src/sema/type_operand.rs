//! Expressions with a type in them: casts, `sizeof`, `_Alignof`, `offsetof`, `_Generic`.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, ExprId, ExprKind, PlaceKind};
use crate::types::{Type, TypeId};
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    pub(crate) fn explicit_cast(
        &mut self,
        type_name: ast::TypeNameId,
        operand: ast::ExprId,
        span: Span,
    ) -> Lowered<Operand> {
        let ty = self.type_name_type(type_name)?;
        if self.types.is_void(ty) {
            self.discard(operand);
            return Ok(Operand::Void);
        }
        let value = self.rvalue(operand)?;
        let from = self.exprs.type_of(value);
        match (self.types.get(from), self.types.get(ty)) {
            (Type::Record(_), Type::Record(_)) if from == ty => Ok(Operand::Value(value)),
            (Type::Float(_), Type::Pointer(_)) | (Type::Pointer(_), Type::Float(_)) => {
                self.mismatch(from, ty, span)
            }
            (
                Type::Int(_) | Type::Float(_) | Type::Pointer(_),
                Type::Int(_) | Type::Float(_) | Type::Pointer(_),
            ) => Ok(Operand::Value(self.cast(value, ty, span))),
            (_, Type::Record(record)) if self.types.record(*record).is_union => {
                self.unsupported(span, "cast to a union type")
            }
            _ => self.mismatch(from, ty, span),
        }
    }

    pub(crate) fn size_of_operand(&mut self, ty: TypeId, span: Span) -> Lowered<ExprId> {
        // GNU: sizeof(void) and sizeof a function are 1.
        if self.types.is_void(ty) || self.types.is_function(ty) {
            return Ok(self.int(self.types.size_t, 1));
        }
        self.size_of_expr(ty, span)
    }

    /// The alignment of an object, or of the type of a value: members have that of their place, variables
    /// what was asked for.
    pub(crate) fn align_of_operand(&self, operand: Operand) -> u64 {
        let of_type = self.types.preferred_align_of(self.operand_type(operand));
        let Operand::Place(mut place) = operand else { return of_type };
        let exprs = &self.exprs;
        match exprs.place(place).kind {
            PlaceKind::Field(base, field) => {
                let record = self.types.record_of(exprs.place(base).ty);
                record.map_or(of_type, |record| self.types.record(record).fields[field as usize].align)
            }
            PlaceKind::Var(var) => self.declared.alignments.get(&var).copied().unwrap_or(of_type),
            PlaceKind::Index(..) => {
                // An element has the alignment of its type, which a typedef may have lowered.
                while let PlaceKind::Index(array, _) = exprs.place(place).kind {
                    place = array;
                }
                match exprs.place(place).kind {
                    PlaceKind::Var(var) => {
                        of_type.min(self.declared.alignments.get(&var).copied().unwrap_or(of_type))
                    }
                    _ => of_type,
                }
            }
            PlaceKind::Deref(_) => of_type,
        }
    }

    pub(crate) fn offsetof(
        &mut self,
        type_name: ast::TypeNameId,
        path: &[ast::Designator],
        span: Span,
    ) -> Lowered<Operand> {
        let mut ty = self.type_name_type(type_name)?;
        let mut offset = self.int(self.types.size_t, 0);
        for designator in path {
            let step = match *designator {
                ast::Designator::Field(name, span) => {
                    let found = self.types.record_of(ty).and_then(|r| self.types.find_field(r, name));
                    let Some(found) = found else {
                        let (ty, name) = (self.type_name(ty), self.text(name));
                        return self.error(span, format!("`{ty}` has no member `{name}`"));
                    };
                    let mut bytes = 0;
                    for field in found {
                        let Some(record) = self.types.record_of(ty) else {
                            break;
                        };
                        let field = &self.types.record(record).fields[field as usize];
                        (bytes, ty) = (bytes + field.offset, field.ty);
                    }
                    self.int(self.types.size_t, i128::from(bytes))
                }
                ast::Designator::Index(index) => {
                    let Some(element) = self.types.element(ty) else {
                        return self.error(span, "only an array can be indexed here");
                    };
                    ty = element;
                    let index = self.rvalue(index)?;
                    let index = self.convert(index, self.types.size_t, span)?;
                    let size = self.size_of_expr(element, span)?;
                    match (self.fold_int(index), self.fold_int(size)) {
                        (Some(index), Some(size)) => self.int(self.types.size_t, index.wrapping_mul(size)),
                        _ => self.make(ExprKind::Binary(BinaryOp::Mul, index, size), self.types.size_t, span),
                    }
                }
                ast::Designator::Range(..) => return self.error(span, "a range has no offset"),
            };
            offset = match (self.fold_int(offset), self.fold_int(step)) {
                (Some(a), Some(b)) => self.int(self.types.size_t, a + b),
                _ => self.make(ExprKind::Binary(BinaryOp::Add, offset, step), self.types.size_t, span),
            };
        }
        Ok(Operand::Value(offset))
    }

    pub(crate) fn generic(
        &mut self,
        selector: ast::ExprId,
        arms: &[(Option<ast::TypeNameId>, ast::ExprId)],
        span: Span,
    ) -> Lowered<Operand> {
        let (value, _) = self.collect(|s| s.rvalue(selector));
        let ty = self.exprs.type_of(value?);
        let (mut chosen, mut default) = (None, None);
        for &(type_name, arm) in arms {
            match type_name {
                None => default = Some(arm),
                Some(type_name) => {
                    let arm_type = self.type_name_type(type_name)?;
                    if self.types.compatible(ty, arm_type) {
                        if chosen.is_some() {
                            // Qualifiers are not part of our types, so we cannot distinguish these arms.
                            return self.unsupported(span, "_Generic that distinguishes qualifiers");
                        }
                        chosen = Some(arm);
                    }
                }
            }
        }
        match chosen.or(default) {
            Some(arm) => self.operand(arm),
            None => {
                let name = self.type_name(ty);
                self.error(span, format!("no arm of this _Generic fits the type `{name}`"))
            }
        }
    }
}
