//! Atomic operations. There is one thread, so each is the operation itself.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, BranchOrigin, ExprId, ExprKind, PlaceId, StmtKind, UnaryOp};
use crate::types::{IntKind, TypeId};
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    /// Atomic operations of one thread: the operation itself.
    pub(crate) fn atomic(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> Lowered<Operand> {
        self.assume(span, "atomic operations are not interrupted: there is one thread");
        if matches!(name, "__sync_synchronize" | "__atomic_thread_fence" | "__atomic_signal_fence") {
            args.iter().for_each(|&arg| self.discard(arg));
            return Ok(Operand::Void);
        }
        let mut values = self.rvalues(args)?;
        let Some(&pointer) = values.first() else {
            return self.error(span, "this builtin takes a pointer");
        };
        if let Some(result) = self.atomic_copy(name, &mut values, span) {
            return result;
        }
        let place = match name {
            "__atomic_clear" | "__atomic_test_and_set" => self.flag_byte(pointer, span)?,
            _ => self.deref(pointer, span)?,
        };
        let ty = self.exprs.place(place).ty;
        let old = self.value_of(Operand::Place(place), span)?;
        if name == "__atomic_test_and_set" {
            let old = self.save(old, span);
            let one = self.int(ty, 1);
            self.emit(span, StmtKind::Assign(place, one));
            return Ok(Operand::Value(self.cast(old, self.types.bool, span)));
        }
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

    /// The operations that compare, or take their values from memory. None: another one.
    fn atomic_copy(&mut self, name: &str, values: &mut [ExprId], span: Span) -> Option<Lowered<Operand>> {
        // Stores go to several places: the pointers are those from before.
        let pointers = match (name, values.len()) {
            ("__sync_val_compare_and_swap" | "__sync_bool_compare_and_swap", 3..) => 1,
            ("__atomic_compare_exchange_n", 3..) | ("__atomic_load" | "__atomic_store", 2..) => 2,
            ("__atomic_compare_exchange" | "__atomic_exchange", 3..) => 3,
            _ => return None,
        };
        for value in &mut values[..pointers] {
            *value = self.save(*value, span);
        }
        Some(self.atomic_copy_of(name, values, span))
    }

    fn atomic_copy_of(&mut self, name: &str, values: &[ExprId], span: Span) -> Lowered<Operand> {
        let place = self.deref(values[0], span)?;
        let ty = self.exprs.place(place).ty;
        let old = self.value_of(Operand::Place(place), span)?;
        let old = self.save(old, span);
        match name {
            "__atomic_load" => {
                let to = self.deref(values[1], span)?;
                self.emit_converted(to, old, span)?;
                Ok(Operand::Void)
            }
            "__atomic_store" | "__atomic_exchange" => {
                let from = self.deref(values[1], span)?;
                let new = self.value_of(Operand::Place(from), span)?;
                let new = self.save(new, span);
                if name == "__atomic_exchange" {
                    let to = self.deref(values[2], span)?;
                    self.emit_converted(to, old, span)?;
                }
                self.emit_converted(place, new, span)?;
                Ok(Operand::Void)
            }
            "__sync_val_compare_and_swap" | "__sync_bool_compare_and_swap" => {
                let (expected, new) =
                    (self.convert(values[1], ty, span)?, self.convert(values[2], ty, span)?);
                let equal = self.truth_value(BinaryOp::Eq, old, expected, span);
                let equal = self.save(equal, span);
                self.swap_if(equal, (place, new), None, span);
                let val = name == "__sync_val_compare_and_swap";
                Ok(Operand::Value(if val { old } else { self.cast(equal, self.types.bool, span) }))
            }
            _ => {
                let expected_place = self.deref(values[1], span)?;
                let expected = self.value_of(Operand::Place(expected_place), span)?;
                let expected = self.convert(expected, ty, span)?;
                let new = match name {
                    "__atomic_compare_exchange_n" => values[2],
                    _ => {
                        let from = self.deref(values[2], span)?;
                        let new = self.value_of(Operand::Place(from), span)?;
                        self.save(new, span)
                    }
                };
                let new = self.convert(new, ty, span)?;
                if !self.types.is_scalar(ty) {
                    return self
                        .unsupported(span, format!("`{name}` on something else than a number or pointer"));
                }
                let equal = self.truth_value(BinaryOp::Eq, old, expected, span);
                let equal = self.save(equal, span);
                let seen = self.convert(old, self.exprs.place(expected_place).ty, span)?;
                self.swap_if(equal, (place, new), Some((expected_place, seen)), span);
                Ok(Operand::Value(self.cast(equal, self.types.bool, span)))
            }
        }
    }

    fn emit_converted(&mut self, place: PlaceId, value: ExprId, span: Span) -> Lowered<()> {
        let value = self.convert(value, self.exprs.place(place).ty, span)?;
        self.emit(span, StmtKind::Assign(place, value));
        Ok(())
    }

    /// `if (equal) yes.0 = yes.1; else no.0 = no.1;`
    fn swap_if(&mut self, equal: ExprId, yes: (PlaceId, ExprId), no: Option<(PlaceId, ExprId)>, span: Span) {
        let labels = (self.new_label(None, span), self.new_label(None, span), self.new_label(None, span));
        let (on_yes, on_no, end) = labels;
        let zero = self.int(self.types.int, 0);
        let condition = self.truth_value(BinaryOp::Ne, equal, zero, span);
        self.emit_branch(condition, on_yes, on_no, BranchOrigin::Conditional, span);
        self.emit(span, StmtKind::Label(on_yes));
        self.emit(span, StmtKind::Assign(yes.0, yes.1));
        self.emit(span, StmtKind::Goto(end));
        self.emit(span, StmtKind::Label(on_no));
        if let Some((place, value)) = no {
            self.emit(span, StmtKind::Assign(place, value));
        }
        self.emit(span, StmtKind::Label(end));
    }

    /// The byte that a flag of any type is set in.
    fn flag_byte(&mut self, pointer: ExprId, span: Span) -> Lowered<PlaceId> {
        let byte: TypeId = self.types.int_type(IntKind::UnsignedChar);
        let ty = self.types.pointer_to(byte);
        let pointer = self.convert(pointer, ty, span)?;
        self.deref(pointer, span)
    }
}
