//! Operators on values, with the conversions that C asks for.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::types::TypeId;
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    pub(crate) fn unary(&mut self, op: ast::UnaryOp, operand: ast::ExprId, span: Span) -> Lowered<Operand> {
        use ast::UnaryOp::*;
        match op {
            Plus | Minus | BitNot => {
                let value = self.rvalue(operand)?;
                let value = self.promote(value, span);
                let ty = self.exprs.type_of(value);
                let legal =
                    if op == BitNot { self.types.is_integer(ty) } else { self.types.is_arithmetic(ty) };
                if !legal {
                    let name = self.type_name(ty);
                    return self.error(span, format!("this operator does not take a value of type `{name}`"));
                }
                Ok(Operand::Value(match op {
                    Plus => value,
                    Minus => self.negate(value, ty, span),
                    _ => self.compute_unary(UnaryOp::BitNot, value, ty, span),
                }))
            }
            Not => self.logical_not(operand, span),
            Deref => {
                let pointer = self.rvalue(operand)?;
                let place = self.deref(pointer, span)?;
                Ok(Operand::Place(place))
            }
            AddressOf => {
                if let ast::ExprKind::Unary(Deref, inner) = self.ast.exprs[operand].kind {
                    return Ok(Operand::Value(self.rvalue(inner)?));
                }
                match self.operand(operand)? {
                    Operand::Place(place) => Ok(Operand::Value(self.address_of(place, span)?)),
                    function @ Operand::Function(_) => Ok(Operand::Value(self.value_of(function, span)?)),
                    Operand::Value(_) | Operand::Void => {
                        self.error(span, "only an object or a function has an address")
                    }
                }
            }
            PreIncrement | PreDecrement | PostIncrement | PostDecrement => self.step(op, operand, span, true),
            Real | Imag => self.unsupported(span, "complex numbers"),
        }
    }

    /// `-value`; of a literal, the negative literal (so that constants look like constants).
    fn negate(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        match self.exprs.expr(value).kind {
            ExprKind::Int(n)
                if self.types.is_signed(ty)
                    && crate::arith::wrap(&self.types, ty, n.wrapping_neg()) == -n =>
            {
                self.int(ty, -n)
            }
            _ => self.compute_unary(UnaryOp::Neg, value, ty, span),
        }
    }

    fn logical_not(&mut self, operand: ast::ExprId, span: Span) -> Lowered<Operand> {
        let value = self.rvalue(operand)?;
        let ty = self.exprs.type_of(value);
        let zero = self.zero(ty, span)?;
        Ok(Operand::Value(self.make(ExprKind::Binary(BinaryOp::Eq, value, zero), self.types.int, span)))
    }

    /// Binary operators, walking down the left spine in a loop: sums with thousands of terms are common in
    /// generated code.
    pub(crate) fn binary_chain(&mut self, expr: ast::ExprId) -> Lowered<Operand> {
        let ast = self.ast;
        let (mut spine, mut leftmost) = (Vec::new(), expr);
        while let ast::ExprKind::Binary(op, left, right) = ast.exprs[leftmost].kind {
            if matches!(op, ast::BinaryOp::LogicalAnd | ast::BinaryOp::LogicalOr) {
                break;
            }
            spine.push((op, right, ast.exprs[leftmost].span));
            leftmost = left;
        }
        if spine.is_empty() {
            return self.logical_value(expr);
        }
        let mut left = self.rvalue(leftmost)?;
        while let Some((op, right, span)) = spine.pop() {
            let mark = self.out.len();
            let right = self.rvalue(right)?;
            left = self.save_before(left, mark, span);
            left = self.binary(op, left, right, span)?;
        }
        Ok(Operand::Value(left))
    }

    /// `left op right` on values, with the conversions C asks for.
    pub(crate) fn binary(
        &mut self,
        op: ast::BinaryOp,
        left: ExprId,
        right: ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        use ast::BinaryOp as B;
        let (lt, rt) = (self.exprs.type_of(left), self.exprs.type_of(right));
        let pointers = (self.types.is_pointer(lt), self.types.is_pointer(rt));
        match (op, pointers) {
            (B::Add, (true, false)) => self.pointer_step(BinaryOp::PtrAdd, left, right, span),
            (B::Add, (false, true)) => self.pointer_step(BinaryOp::PtrAdd, right, left, span),
            (B::Sub, (true, false)) => self.pointer_step(BinaryOp::PtrSub, left, right, span),
            (B::Sub, (true, true)) => self.pointer_difference(left, right, span),
            (B::Lt | B::Gt | B::Le | B::Ge | B::Eq | B::Ne, (true, _) | (_, true)) => {
                let target = if pointers.0 { lt } else { rt };
                let both = self.types.is_scalar(lt) && self.types.is_scalar(rt);
                if !both || self.types.is_float(lt) || self.types.is_float(rt) {
                    return self.bad_operands(lt, rt, span);
                }
                let (left, right) = (self.cast(left, target, span), self.cast(right, target, span));
                Ok(self.make(ExprKind::Binary(tree_op(op), left, right), self.types.int, span))
            }
            _ if !self.types.is_arithmetic(lt) || !self.types.is_arithmetic(rt) => {
                self.bad_operands(lt, rt, span)
            }
            (B::Shl | B::Shr, _) => {
                let (left, right) = (self.promote(left, span), self.promote(right, span));
                let ty = self.exprs.type_of(left);
                if self.types.is_float(ty) || self.types.is_float(rt) {
                    return self.bad_operands(lt, rt, span);
                }
                Ok(self.compute(tree_op(op), left, right, ty, span))
            }
            _ => {
                let ty = self.types.usual_conversion(lt, rt);
                let integral = matches!(op, B::Rem | B::BitAnd | B::BitOr | B::BitXor);
                if integral && self.types.is_float(ty) {
                    return self.bad_operands(lt, rt, span);
                }
                let (left, right) = (self.cast(left, ty, span), self.cast(right, ty, span));
                let op = tree_op(op);
                if op.is_comparison() {
                    return Ok(self.make(ExprKind::Binary(op, left, right), self.types.int, span));
                }
                Ok(self.compute(op, left, right, ty, span))
            }
        }
    }

    fn bad_operands<T>(&mut self, left: TypeId, right: TypeId, span: Span) -> Lowered<T> {
        let (left, right) = (self.type_name(left), self.type_name(right));
        self.error(span, format!("this operator does not take operands of types `{left}` and `{right}`"))
    }

    /// Pointer plus or minus integer.
    pub(crate) fn pointer_step(
        &mut self,
        op: BinaryOp,
        pointer: ExprId,
        index: ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let (ty, it) = (self.exprs.type_of(pointer), self.exprs.type_of(index));
        let Some(target) = self.types.pointee(ty) else {
            return self.bad_operands(ty, it, span);
        };
        if !self.types.is_integer(it) {
            return self.bad_operands(ty, it, span);
        }
        let index = self.cast(index, self.types.ptrdiff_t, span);
        if self.is_variably_sized(target) {
            // Count in bytes, so that no other code meets elements of variable size.
            let size = self.size_of_expr(target, span)?;
            let size = self.cast(size, self.types.ptrdiff_t, span);
            let bytes = self.make(ExprKind::Binary(BinaryOp::Mul, index, size), self.types.ptrdiff_t, span);
            let base = self.cast(pointer, self.types.char_ptr, span);
            let moved = self.make(ExprKind::Binary(op, base, bytes), self.types.char_ptr, span);
            return Ok(self.cast(moved, ty, span));
        }
        if self.types.stride(target).is_none() {
            let name = self.type_name(target);
            return self.error(span, format!("arithmetic on a pointer to the incomplete type `{name}`"));
        }
        Ok(self.make(ExprKind::Binary(op, pointer, index), ty, span))
    }

    fn pointer_difference(&mut self, left: ExprId, right: ExprId, span: Span) -> Lowered<ExprId> {
        let ty = self.exprs.type_of(left);
        let Some(target) = self.types.pointee(ty) else {
            return self.bad_operands(ty, ty, span);
        };
        let right = self.cast(right, ty, span);
        let stride = if self.is_variably_sized(target) { None } else { self.types.stride(target) };
        match stride {
            Some(1..) => {
                Ok(self.make(ExprKind::Binary(BinaryOp::PtrDiff, left, right), self.types.ptrdiff_t, span))
            }
            _ => self.unsupported(span, "difference of pointers to elements of variable or zero size"),
        }
    }
}

/// The tree's operator for an arithmetic or comparing one of the source.
fn tree_op(op: ast::BinaryOp) -> BinaryOp {
    use ast::BinaryOp as B;
    match op {
        B::Mul => BinaryOp::Mul,
        B::Div => BinaryOp::Div,
        B::Rem => BinaryOp::Rem,
        B::Add => BinaryOp::Add,
        B::Sub => BinaryOp::Sub,
        B::Shl => BinaryOp::Shl,
        B::Shr => BinaryOp::Shr,
        B::Lt => BinaryOp::Lt,
        B::Gt => BinaryOp::Gt,
        B::Le => BinaryOp::Le,
        B::Ge => BinaryOp::Ge,
        B::Eq => BinaryOp::Eq,
        B::Ne => BinaryOp::Ne,
        B::BitAnd | B::LogicalAnd => BinaryOp::And,
        B::BitOr | B::LogicalOr => BinaryOp::Or,
        B::BitXor => BinaryOp::Xor,
    }
}
