//! Integer builtins that are no library functions: arithmetic that reports overflow, and counts of sign bits.

use super::convert::Operand;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, ExprId, ExprKind, StmtKind};
use crate::types::{IntKind, TypeId};
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    /// `__builtin_add_overflow(a, b, &r)`, its typed forms, whose arguments are converted first, and its
    /// forms with `_p`, which store nothing: compute wide, cut, compare.
    pub(crate) fn overflow_builtin(
        &mut self,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Lowered<Operand> {
        let unknown = format!("the builtin function `__builtin_{name}`");
        let (Some((family, op)), &[a, b, result]) = (overflow_family(name), args) else {
            return self.unsupported(span, unknown);
        };
        let operands = match family {
            OverflowFamily::Typed(kind) => {
                // The arguments are those of an ordinary function with a prototype.
                let ty = self.types.int_type(kind);
                let pointer = self.types.pointer_to(ty);
                let values = self.rvalues(&[a, b, result])?;
                let [a, b, result] = [(values[0], ty), (values[1], ty), (values[2], pointer)]
                    .map(|(value, ty)| self.convert(value, ty, span));
                [a?, b?, result?]
            }
            OverflowFamily::Generic => {
                let values = self.rvalues(&[a, b, result])?;
                [values[0], values[1], values[2]]
            }
            OverflowFamily::Predicate => return self.overflow_predicate(op, [a, b, result], span),
        };
        let exact = self.exact_result(op, operands[0], operands[1], span)?;
        let exact = self.save(exact, span);
        let place = self.deref(operands[2], span)?;
        let ty = self.exprs.place(place).ty;
        self.overflow_type(ty, span)?;
        let stored = self.cast(exact, ty, span);
        self.emit(span, StmtKind::Assign(place, stored));
        Ok(Operand::Value(self.differs(exact, stored, span)))
    }

    /// `__builtin_add_overflow_p(a, b, (T)0)`: would the result overflow in the type of the last argument, or
    /// in its width if that is a bit-field?
    fn overflow_predicate(&mut self, op: BinaryOp, args: [ast::ExprId; 3], span: Span) -> Lowered<Operand> {
        let values = self.rvalues(&args[..2])?;
        let exact = self.exact_result(op, values[0], values[1], span)?;
        let mark = self.out.len();
        let operand = self.operand(args[2])?;
        let exact = self.save_before(exact, mark, span);
        let mut ty = self.operand_type(operand);
        self.overflow_type(ty, span)?;
        if let Operand::Place(place) = operand
            && let Some(bits) = self.bit_field(place)
            && self.types.int_width(ty).is_some_and(|whole| bits.width < whole)
        {
            let signed = self.types.is_signed(ty);
            ty = self.types.int_type(IntKind::Exact { width: bits.width as u8, signed });
        }
        let cut = self.cast(exact, ty, span);
        Ok(Operand::Value(self.differs(exact, cut, span)))
    }

    /// `a op b` as a number, in a type where nothing is lost.
    fn exact_result(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> Lowered<ExprId> {
        let types = [self.exprs.type_of(a), self.exprs.type_of(b)];
        if types.iter().any(|&ty| self.types.int_width(ty).is_none_or(|width| width > 64)) {
            return self.unsupported(span, "overflow builtins on operands this wide");
        }
        if !types.iter().all(|&ty| self.types.is_integer(ty)) {
            return self.error(span, "this builtin takes integers");
        }
        // Products of two unsigned numbers of 64 bits need every bit of the widest type.
        let all_unsigned = types.iter().all(|&ty| !self.types.is_signed(ty));
        let is_unsigned = all_unsigned && op == BinaryOp::Mul;
        let wide = self.types.int_type(if is_unsigned { IntKind::UnsignedInt128 } else { IntKind::Int128 });
        let (a, b) = (self.cast(a, wide, span), self.cast(b, wide, span));
        Ok(self.make(ExprKind::Binary(op, a, b), wide, span))
    }

    /// The type in which the builtin computes. It has at most 64 bits, because only then a result that is cut
    /// always differs from the exact one.
    fn overflow_type(&mut self, ty: TypeId, span: Span) -> Lowered<()> {
        if !self.types.is_integer(ty) || self.types.int_kind(ty) == Some(IntKind::Bool) {
            return self.error(span, "the result must be an integer");
        }
        if self.types.int_width(ty).is_some_and(|width| width > 64) {
            return self.unsupported(span, "overflow builtins with a result this wide");
        }
        Ok(())
    }

    /// Has the exact number changed where it was cut?
    fn differs(&mut self, exact: ExprId, cut: ExprId, span: Span) -> ExprId {
        let back = self.cast(cut, self.exprs.type_of(exact), span);
        let overflowed = self.truth_value(BinaryOp::Ne, back, exact, span);
        self.cast(overflowed, self.types.bool, span)
    }

    /// `__builtin_clrsb(x)`: the number of bits after the sign that equal it. That is the number of leading
    /// zeros of `2 * (x ^ sign) + 1`.
    pub(crate) fn count_sign_bits(&mut self, name: &str, x: ast::ExprId, span: Span) -> Lowered<Operand> {
        let (kind, counter) = match name {
            "clrsb" => (IntKind::Int, "__builtin_clz"),
            "clrsbl" => (IntKind::Long, "__builtin_clzl"),
            _ => (IntKind::LongLong, "__builtin_clzll"),
        };
        let ty = self.types.int_type(kind);
        let unsigned = self.types.int_type(kind.to_unsigned());
        let x = self.rvalue(x)?;
        let x = self.convert(x, ty, span)?;
        let last = i128::from(self.types.int_width(ty).unwrap_or(1) - 1);
        let (last, one) = (self.int(self.types.int, last), self.int(self.types.int, 1));
        let sign = self.compute(BinaryOp::Shr, x, last, ty, span);
        let rest = self.compute(BinaryOp::Xor, x, sign, ty, span);
        let rest = self.cast(rest, unsigned, span);
        let twice = self.compute(BinaryOp::Shl, rest, one, unsigned, span);
        let one = self.int(unsigned, 1);
        let marked = self.compute(BinaryOp::Or, twice, one, unsigned, span);
        let counter = self.names.intern(counter);
        let counter = self.declare_implicitly(counter, span);
        Ok(self.call_known(counter, vec![marked], span))
    }
}

/// Which type a builtin that reports overflow works on.
enum OverflowFamily {
    /// `__builtin_uaddl_overflow`: this one.
    Typed(IntKind),
    /// `__builtin_add_overflow`: that of the object for the result.
    Generic,
    /// `__builtin_add_overflow_p`: that of the last argument.
    Predicate,
}

fn overflow_family(name: &str) -> Option<(OverflowFamily, BinaryOp)> {
    let operation = |word: &str| match word {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    };
    if let Some(op) = name.strip_suffix("_overflow_p").and_then(operation) {
        return Some((OverflowFamily::Predicate, op));
    }
    let word = name.strip_suffix("_overflow")?;
    if let Some(op) = operation(word) {
        return Some((OverflowFamily::Generic, op));
    }
    let (signed, word) = (word.starts_with('s'), word.strip_prefix(['s', 'u'])?);
    let op = operation(word.get(..3)?)?;
    let kind = match word.get(3..)? {
        "" => IntKind::Int,
        "l" => IntKind::Long,
        "ll" => IntKind::LongLong,
        _ => return None,
    };
    Some((OverflowFamily::Typed(if signed { kind } else { kind.to_unsigned() }), op))
}
