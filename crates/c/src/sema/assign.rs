//! Assignment, compound assignment, increment and decrement.

use super::call::CallInto;
use super::convert::Operand;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, StmtKind};
use crate::types::Type;
use summa_syntax::Span;
use summa_syntax::ast;

/// `++` or `--`.
pub(crate) fn is_step(op: ast::UnaryOp) -> bool {
    use ast::UnaryOp::*;
    matches!(op, PreIncrement | PreDecrement | PostIncrement | PostDecrement)
}

impl Sema<'_> {
    /// `place = value` or `place op= value`; the result is the new value of the place if `wanted`.
    pub(crate) fn assignment(
        &mut self,
        op: Option<ast::BinaryOp>,
        place: ast::ExprId,
        value: ast::ExprId,
        span: Span,
        wanted: bool,
    ) -> Lowered<Operand> {
        let target = self.assignable(place)?;
        let ty = self.exprs.place(target).ty;
        let mark = self.out.len();
        let value = match self.call_into(target, op, value)? {
            CallInto::Stored => return self.assigned(target, wanted, span),
            CallInto::Value(value) => value,
            CallInto::NoCall => self.rvalue(value)?,
        };
        // The old value first: values that are saved later go before it, and both are read from the original
        // place.
        let old = match op {
            None => None,
            Some(op) => {
                let old = self.value_of(Operand::Place(target), span)?;
                Some((op, self.save_before(old, mark, span)))
            }
        };
        let target = self.save_place_before(target, mark, span);
        let value = match old {
            None => value,
            Some((op, old)) => self.binary(op, old, value, span)?,
        };
        let value = self.convert(value, ty, span)?;
        self.store(target, value, span, wanted)
    }

    /// Emits the store; the result is the value stored if `wanted`.
    fn store(&mut self, target: PlaceId, value: ExprId, span: Span, wanted: bool) -> Lowered<Operand> {
        if !wanted {
            self.emit(span, StmtKind::Assign(target, value));
            return Ok(Operand::Void);
        }
        // Reading the place back is right unless the store could move it (`a[a[0]] = 5`, `*p = …` with p at
        // p).
        let (target, value) = if self.is_fixed(target) || self.exprs.as_int(value).is_some() {
            (target, value)
        } else if self.bit_field(target).is_some() {
            // A bit-field cuts the value: it must be read back, from a place that stays.
            (self.pin(target, span), value)
        } else {
            (target, self.save(value, span))
        };
        self.emit(span, StmtKind::Assign(target, value));
        if self.is_fixed(target) || self.bit_field(target).is_some() {
            return self.assigned(target, true, span);
        }
        Ok(Operand::Value(value))
    }

    fn assigned(&mut self, target: PlaceId, wanted: bool, span: Span) -> Lowered<Operand> {
        if !wanted {
            return Ok(Operand::Void);
        }
        Ok(Operand::Value(self.kept(target, span)))
    }

    /// A place that names the same object whatever is stored: a variable, its fields and constant elements.
    fn is_fixed(&self, mut place: PlaceId) -> bool {
        loop {
            match self.exprs.place(place).kind {
                PlaceKind::Var(_) => return true,
                PlaceKind::Deref(_) => return false,
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, index) if self.exprs.as_int(index).is_some() => place = base,
                PlaceKind::Index(..) => return false,
            }
        }
    }

    /// The same place reached through a pointer held in a temporary.
    fn pin(&mut self, place: PlaceId, span: Span) -> PlaceId {
        let PlaceKind::Field(base, field) = self.exprs.place(place).kind else {
            return place;
        };
        let (base_type, ty) = (self.exprs.place(base).ty, self.exprs.place(place).ty);
        let Ok(address) = self.address_of(base, span) else {
            return place;
        };
        let pointer = self.save(address, span);
        let base = self.exprs.intern_place(PlaceKind::Deref(pointer), base_type);
        self.exprs.intern_place(PlaceKind::Field(base, field), ty)
    }

    /// `++` and `--`; the result is the new (prefix) or old (postfix) value if `wanted`.
    pub(crate) fn step(
        &mut self,
        op: ast::UnaryOp,
        operand: ast::ExprId,
        span: Span,
        wanted: bool,
    ) -> Lowered<Operand> {
        use ast::UnaryOp::*;
        let place = self.assignable(operand)?;
        let ty = self.exprs.place(place).ty;
        let mut old = self.value_of(Operand::Place(place), span)?;
        let is_postfix = matches!(op, PostIncrement | PostDecrement);
        if is_postfix && wanted {
            old = self.save(old, span);
        }
        let up = matches!(op, PreIncrement | PostIncrement);
        let new = match *self.types.get(ty) {
            Type::Pointer(_) => {
                let one = self.int(self.types.int, 1);
                self.pointer_step(if up { BinaryOp::PtrAdd } else { BinaryOp::PtrSub }, old, one, span)?
            }
            Type::Int(_) => {
                let one = self.int(self.types.int, 1);
                self.binary(if up { ast::BinaryOp::Add } else { ast::BinaryOp::Sub }, old, one, span)?
            }
            Type::Float(kind) => {
                let one = self.exprs.intern(ExprKind::Float(crate::fold::one(kind)), ty);
                self.binary(if up { ast::BinaryOp::Add } else { ast::BinaryOp::Sub }, old, one, span)?
            }
            _ => {
                let name = self.type_name(ty);
                return self.error(span, format!("a value of type `{name}` cannot be counted up or down"));
            }
        };
        let new = self.cast(new, ty, span);
        if is_postfix {
            self.emit(span, StmtKind::Assign(place, new));
            return Ok(if wanted { Operand::Value(old) } else { Operand::Void });
        }
        self.store(place, new, span, wanted)
    }

    /// The place that an expression names, if it can be assigned to.
    pub(crate) fn assignable(&mut self, expr: ast::ExprId) -> Lowered<PlaceId> {
        let span = self.span_of(expr);
        match self.operand(expr)? {
            Operand::Place(place) => match self.types.get(self.exprs.place(place).ty) {
                Type::Array(..) => self.error(span, "an array cannot be assigned to"),
                Type::Function(_) | Type::Void => self.error(span, "this cannot be assigned to"),
                _ => Ok(place),
            },
            _ => self.error(span, "only an object can be assigned to"),
        }
    }
}
