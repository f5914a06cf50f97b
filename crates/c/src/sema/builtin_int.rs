//! Integer builtins with a store: arithmetic that reports overflow, and atomic operations of one thread.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::span::Span;
use crate::syntax::ast;
use crate::tree::{BinaryOp, ExprId, ExprKind, StmtKind, UnaryOp};
use crate::types::IntKind;

impl Sema<'_> {
    /// Atomic operations of one thread: the operation itself.
    pub(crate) fn atomic(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> Lowered<Operand> {
        self.assume(span, "atomic operations are not interrupted: there is one thread");
        if matches!(name, "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence") {
            args.iter().for_each(|&arg| self.discard(arg));
            return Ok(Operand::Void);
        }
        let values = self.rvalues(args)?;
        let Some(&pointer) = values.first() else {
            return self.error(span, "this builtin takes a pointer");
        };
        let place = self.deref(pointer, span)?;
        let ty = self.exprs.place(place).ty;
        let old = self.value_of(Operand::Place(place), span)?;
        if matches!(name, "__sync_lock_release" | "__atomic_clear") {
            let zero = self.zero(ty, span)?;
            self.emit(span, StmtKind::Assign(place, zero));
            return Ok(Operand::Void);
        }
        if name == "__atomic_load_n" {
            return Ok(Operand::Value(self.save(old, span)));
        }
        let Some(&operand) = values.get(1) else {
            return self.unsupported(span, format!("`{name}`"));
        };
        let operand = self.convert(operand, ty, span)?;
        match name {
            "__atomic_store_n" => {
                self.emit(span, StmtKind::Assign(place, operand));
                return Ok(Operand::Void);
            }
            "__sync_lock_test_and_set" | "__atomic_exchange_n" => {
                let old = self.save(old, span);
                self.emit(span, StmtKind::Assign(place, operand));
                return Ok(Operand::Value(old));
            }
            _ => {}
        }
        let verb = name.trim_start_matches("__sync_").trim_start_matches("__atomic_");
        let (fetch_first, verb) =
            match verb.strip_prefix("fetch_and_").or_else(|| verb.strip_prefix("fetch_")) {
                Some(verb) => (true, verb),
                None => (false, verb.trim_end_matches("_and_fetch").trim_end_matches("_fetch")),
            };
        let op = match verb {
            "add" => BinaryOp::Add,
            "sub" => BinaryOp::Sub,
            "and" => BinaryOp::And,
            "or" => BinaryOp::Or,
            "xor" => BinaryOp::Xor,
            "nand" => BinaryOp::And,
            _ => return self.unsupported(span, format!("`{name}`")),
        };
        if !self.types.is_integer(ty) {
            return self.unsupported(span, format!("`{name}` on something else than an integer"));
        }
        // Atomic arithmetic wraps around silently: compute in the unsigned type.
        let kind = self.types.int_kind(ty).unwrap_or(IntKind::Int).to_unsigned();
        let unsigned = self.types.int_type(kind);
        let old = self.save(old, span);
        let (a, b) = (self.cast(old, unsigned, span), self.cast(operand, unsigned, span));
        let mut new = self.make(ExprKind::Binary(op, a, b), unsigned, span);
        if verb == "nand" {
            new = self.make(ExprKind::Unary(UnaryOp::BitNot, new), unsigned, span);
        }
        let new = self.cast(new, ty, span);
        let new = self.save(new, span);
        self.emit(span, StmtKind::Assign(place, new));
        Ok(Operand::Value(if fetch_first { old } else { new }))
    }

    /// `__builtin_add_overflow(a, b, &r)` and its typed forms: compute wide, store, compare.
    pub(crate) fn overflow_builtin(
        &mut self,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Lowered<Operand> {
        let op = match () {
            _ if name.contains("add") => BinaryOp::Add,
            _ if name.contains("sub") => BinaryOp::Sub,
            _ if name.contains("mul") => BinaryOp::Mul,
            _ => return self.unsupported(span, format!("the builtin function `__builtin_{name}`")),
        };
        let &[a, b, result] = args else {
            return self.error(span, "this builtin takes three arguments");
        };
        let values = self.rvalues(&[a, b, result])?;
        let narrow = |s: &Self, e: ExprId| s.types.int_width(s.exprs.type_of(e)).is_some_and(|w| w <= 64);
        let both_unsigned_wide = values[..2].iter().all(|&v| {
            !self.types.is_signed(self.exprs.type_of(v))
                && self.types.int_width(self.exprs.type_of(v)) == Some(64)
        });
        if !narrow(self, values[0]) || !narrow(self, values[1]) || op == BinaryOp::Mul && both_unsigned_wide {
            return self.unsupported(span, "overflow builtins on operands this wide");
        }
        let wide = self.types.int_type(IntKind::Int128);
        let (a, b) = (self.cast(values[0], wide, span), self.cast(values[1], wide, span));
        let exact = self.make(ExprKind::Binary(op, a, b), wide, span);
        let exact = self.save(exact, span);
        let place = self.deref(values[2], span)?;
        let ty = self.exprs.place(place).ty;
        if !self.types.is_integer(ty) {
            return self.error(span, "the result must be an integer");
        }
        let stored = self.cast(exact, ty, span);
        self.emit(span, StmtKind::Assign(place, stored));
        let back = self.cast(stored, wide, span);
        let overflowed = self.truth_value(BinaryOp::Ne, back, exact, span);
        Ok(Operand::Value(self.cast(overflowed, self.types.bool, span)))
    }
    /// `__builtin_add_overflow_p(a, b, c)`: does the sum not fit into the type of `c`, as it is before promotion? The value of `c` does not
    /// matter, its effects happen.
    pub(crate) fn overflow_predicate(
        &mut self,
        name: &str,
        a: ast::ExprId,
        b: ast::ExprId,
        like: ast::ExprId,
        span: Span,
    ) -> Lowered<Operand> {
        let op = match name.split('_').next() {
            Some("add") => BinaryOp::Add,
            Some("sub") => BinaryOp::Sub,
            _ => BinaryOp::Mul,
        };
        let mut values = self.rvalues(&[a, b])?;
        let mark = self.out.len();
        let like = self.operand(like)?;
        for value in &mut values {
            *value = self.save_before(*value, mark, span);
        }
        let ty = self.operand_type(like);
        if matches!(like, Operand::Place(place) if self.bit_field(place).is_some()) {
            return self.unsupported(span, "overflow of a bit-field");
        }
        let all_integers = values.iter().all(|&value| self.types.is_integer(self.exprs.type_of(value)));
        if !all_integers || !self.types.is_integer(ty) || ty == self.types.bool {
            return self
                .error(span, "this builtin takes integers, and neither `_Bool` nor an enum as the last one");
        }
        let width = |s: &Self, ty| s.types.int_width(ty).unwrap_or(128);
        let is_exact = |s: &Self, value: ExprId| width(s, s.exprs.type_of(value)) <= 64;
        let unsigned = |s: &Self, value: ExprId| {
            let ty = s.exprs.type_of(value);
            !s.types.is_signed(ty) && width(s, ty) == 64
        };
        let overflows_wide = op == BinaryOp::Mul && values.iter().all(|&value| unsigned(self, value));
        if !values.iter().all(|&value| is_exact(self, value)) || width(self, ty) > 64 || overflows_wide {
            return self.unsupported(span, "overflow builtins on operands this wide");
        }
        let wide = self.types.int_type(IntKind::Int128);
        let (a, b) = (self.cast(values[0], wide, span), self.cast(values[1], wide, span));
        let exact = self.make(ExprKind::Binary(op, a, b), wide, span);
        let exact = self.save(exact, span);
        let narrow = self.cast(exact, ty, span);
        let back = self.cast(narrow, wide, span);
        let overflowed = self.truth_value(BinaryOp::Ne, back, exact, span);
        Ok(Operand::Value(self.cast(overflowed, self.types.bool, span)))
    }
}
