//! Integers of an exact width, with which gcc computes where a bit-field is wider than `int`.
//!
//! Such a value is kept in the whole type that contains it ([`IntKind::container`]), always in the range of
//! its width. An operator computes in the whole type, and operators of the whole type cut its result to the
//! width. So a `Cast` to an exact type never changes a value, and code after the front end need not know
//! widths.

use super::Sema;
use crate::arith::wrap_to;
use crate::tree::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::types::{IntKind, TypeId};
use summa_syntax::Span;

impl Sema<'_> {
    /// `op a` in the type `ty`, which is that of the operand.
    pub(crate) fn compute_unary(&mut self, op: UnaryOp, a: ExprId, ty: TypeId, span: Span) -> ExprId {
        let whole = self.whole_type(ty);
        let a = self.cast(a, whole, span);
        let result = self.make(ExprKind::Unary(op, a), whole, span);
        self.cast(result, ty, span)
    }

    /// `left op right` with a result of type `ty`, which is that of the left operand, and, except for shifts,
    /// of the right one.
    pub(crate) fn compute(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let whole = self.whole_type(ty);
        let left = self.cast(left, whole, span);
        let right = if op.is_shift() { right } else { self.cast(right, whole, span) };
        let result = self.make(ExprKind::Binary(op, left, right), whole, span);
        self.cast(result, ty, span)
    }

    fn whole_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.int_kind(ty) {
            Some(kind @ IntKind::Exact { .. }) => self.types.int_type(kind.container()),
            _ => ty,
        }
    }

    /// Conversion to the exact type `ty` of this width.
    pub(crate) fn cut(
        &mut self,
        value: ExprId,
        ty: TypeId,
        (width, signed): (u8, bool),
        span: Span,
    ) -> ExprId {
        let whole = self.whole_type(ty);
        let value = self.cast(value, whole, span);
        if let ExprKind::Int(number) = self.exprs.expr(value).kind {
            return self.int(ty, wrap_to(u32::from(width), signed, number));
        }
        let free = self.types.int_width(whole).unwrap_or(0).saturating_sub(u32::from(width));
        let value = if signed {
            // Up in the unsigned type, where no bit is lost for good, and down with the sign.
            let unsigned = self.types.int_type(IntKind::Exact { width, signed }.container().to_unsigned());
            let by = self.int(self.types.int, i128::from(free));
            let value = self.cast(value, unsigned, span);
            let up = self.make(ExprKind::Binary(BinaryOp::Shl, value, by), unsigned, span);
            let up = self.cast(up, whole, span);
            self.make(ExprKind::Binary(BinaryOp::Shr, up, by), whole, span)
        } else {
            let mask = self.int(whole, !(-1 << width));
            self.make(ExprKind::Binary(BinaryOp::And, value, mask), whole, span)
        };
        self.make(ExprKind::Cast(value), ty, span)
    }
}
