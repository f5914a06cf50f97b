//! Floating-point builtins that are comparisons: `isnan`, `isless`, `fpclassify` and the like.

use super::{Lowered, Sema};
use crate::float;
use crate::tree::{BinaryOp, ExprId, ExprKind};
use crate::types::{FloatKind, Type};
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    pub(crate) fn float_constant(&mut self, kind: FloatKind, bits: fn(FloatKind) -> u128) -> ExprId {
        let ty = self.types.intern(Type::Float(kind));
        self.exprs.intern(ExprKind::Float(bits(kind)), ty)
    }

    /// `a op b` with an `int` as its result: comparisons, and how they are combined.
    pub(crate) fn truth_value(&mut self, op: BinaryOp, a: ExprId, b: ExprId, span: Span) -> ExprId {
        self.make(ExprKind::Binary(op, a, b), self.types.int, span)
    }

    /// `isless` and the like: comparisons that are false on NaN, as all comparisons here are.
    pub(crate) fn quiet_comparison(
        &mut self,
        name: &str,
        a: ast::ExprId,
        b: ast::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let values = self.rvalues(&[a, b])?;
        let (x, y) = (self.exprs.type_of(values[0]), self.exprs.type_of(values[1]));
        if !self.types.is_arithmetic(x) || !self.types.is_arithmetic(y) {
            return self.error(span, "this needs two numbers");
        }
        let ty = self.types.usual_conversion(x, y);
        let (a, b) = (self.cast(values[0], ty, span), self.cast(values[1], ty, span));
        Ok(match name {
            "isgreater" => self.truth_value(BinaryOp::Gt, a, b, span),
            "isgreaterequal" => self.truth_value(BinaryOp::Ge, a, b, span),
            "isless" => self.truth_value(BinaryOp::Lt, a, b, span),
            "islessequal" => self.truth_value(BinaryOp::Le, a, b, span),
            "islessgreater" => {
                let (less, greater) =
                    (self.truth_value(BinaryOp::Lt, a, b, span), self.truth_value(BinaryOp::Gt, a, b, span));
                self.truth_value(BinaryOp::Or, less, greater, span)
            }
            _ => {
                let (left, right) =
                    (self.truth_value(BinaryOp::Ne, a, a, span), self.truth_value(BinaryOp::Ne, b, b, span));
                self.truth_value(BinaryOp::Or, left, right, span)
            }
        })
    }

    /// `isnan` and the like, by comparisons.
    pub(crate) fn classify(&mut self, name: &str, value: ExprId, span: Span) -> Lowered<ExprId> {
        let value = if self.types.is_integer(self.exprs.type_of(value)) {
            self.cast(value, self.types.double, span)
        } else {
            value
        };
        let ty = self.exprs.type_of(value);
        let Some(kind) = self.types.float_kind(ty) else {
            return self.error(span, "this needs a number");
        };
        let infinity = self.float_constant(kind, float::infinity);
        let minus = self.exprs.intern(ExprKind::Float(float::negate(float::infinity(kind), kind)), ty);
        Ok(match name {
            "isnan" => self.truth_value(BinaryOp::Ne, value, value, span),
            "isinf" | "isinf_sign" => {
                let up = self.truth_value(BinaryOp::Eq, value, infinity, span);
                let down = self.truth_value(BinaryOp::Eq, value, minus, span);
                self.truth_value(if name == "isinf" { BinaryOp::Or } else { BinaryOp::Sub }, up, down, span)
            }
            "isfinite" | "finite" => {
                let below = self.truth_value(BinaryOp::Lt, value, infinity, span);
                let above = self.truth_value(BinaryOp::Gt, value, minus, span);
                self.truth_value(BinaryOp::And, below, above, span)
            }
            _ => {
                let smallest = self.float_constant(kind, smallest_normal);
                let negated =
                    self.exprs.intern(ExprKind::Float(float::negate(smallest_normal(kind), kind)), ty);
                let (ge, lt) = (
                    self.truth_value(BinaryOp::Ge, value, smallest, span),
                    self.truth_value(BinaryOp::Lt, value, infinity, span),
                );
                let positive = self.truth_value(BinaryOp::And, ge, lt, span);
                let (le, gt) = (
                    self.truth_value(BinaryOp::Le, value, negated, span),
                    self.truth_value(BinaryOp::Gt, value, minus, span),
                );
                let negative = self.truth_value(BinaryOp::And, le, gt, span);
                self.truth_value(BinaryOp::Or, positive, negative, span)
            }
        })
    }

    /// Exactly one of the five classes holds, so their sum weighted with the answers is the answer.
    pub(crate) fn fpclassify(
        &mut self,
        answers: [ast::ExprId; 5],
        value: ast::ExprId,
        span: Span,
    ) -> Lowered<ExprId> {
        let mut codes = Vec::new();
        for answer in answers {
            codes.push(self.constant(answer)?);
        }
        let value = self.rvalue(value)?;
        let nan = self.classify("isnan", value, span)?;
        let infinite = self.classify("isinf", value, span)?;
        let normal = self.classify("isnormal", value, span)?;
        let nothing = self.zero(self.exprs.type_of(value), span)?;
        let zero = self.truth_value(BinaryOp::Eq, value, nothing, span);
        let int = self.types.int;
        // Start from "subnormal" and add the difference to the class that holds.
        let mut result = self.int(int, codes[3]);
        for (holds, code) in [(nan, codes[0]), (infinite, codes[1]), (normal, codes[2]), (zero, codes[4])] {
            let difference = self.int(int, code - codes[3]);
            let term = self.make(ExprKind::Binary(BinaryOp::Mul, holds, difference), int, span);
            result = self.make(ExprKind::Binary(BinaryOp::Add, result, term), int, span);
        }
        Ok(result)
    }
}

/// The smallest positive normal number of a format.
fn smallest_normal(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Float => u128::from(f32::MIN_POSITIVE.to_bits()),
        FloatKind::Double => u128::from(f64::MIN_POSITIVE.to_bits()),
        // Exponent 1; the x87 format writes the leading one of the significand.
        FloatKind::LongDouble => (1 << 64) | (1 << 63),
        FloatKind::Float128 => 1 << 112,
    }
}
