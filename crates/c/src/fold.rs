//! Values of constant expressions. Nothing is folded where C leaves the result undefined: division by zero,
//! signed overflow, bad shifts and conversions out of range are no constants.

use crate::arith::{self, Outcome};
use crate::float;
use crate::tree::{BinaryOp, ExprId, ExprKind, Exprs, UnaryOp};
use crate::types::{FloatKind, IntKind, Type, TypeId, Types};

/// The value of a constant expression of scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// Integers, and pointers that are plain numbers.
    Int(i128),
    /// Bits in the format of the expression's type.
    Float(u128),
}

/// The value of an integer (or pointer) constant expression.
pub fn int(types: &Types, exprs: &Exprs, expr: ExprId) -> Option<i128> {
    match value(types, exprs, expr)? {
        Constant::Int(value) => Some(value),
        Constant::Float(_) => None,
    }
}

/// The value of an integer constant expression, as gcc evaluates it where C requires a constant (enumerators,
/// lengths of arrays, `case`). Results that do not fit wrap around, so that `1 << 31` is a number.
pub fn wrapped_int(types: &Types, exprs: &Exprs, expr: ExprId) -> Option<i128> {
    match evaluate(types, exprs, expr, wrapped)? {
        Constant::Int(value) => Some(value),
        Constant::Float(_) => None,
    }
}

/// The value of a constant expression.
pub fn value(types: &Types, exprs: &Exprs, id: ExprId) -> Option<Constant> {
    evaluate(types, exprs, id, Outcome::exact)
}

fn wrapped(outcome: Outcome) -> Option<i128> {
    match outcome {
        Outcome::Exact(value) | Outcome::Overflow(value) => Some(value),
        Outcome::DivisionByZero | Outcome::BadShift => None,
    }
}

/// `accept` says which results of integer operators are constants.
fn evaluate(
    types: &Types,
    exprs: &Exprs,
    id: ExprId,
    accept: fn(Outcome) -> Option<i128>,
) -> Option<Constant> {
    let expr = exprs.expr(id);
    match expr.kind {
        ExprKind::Int(value) => Some(Constant::Int(value)),
        ExprKind::Float(bits) => Some(Constant::Float(bits)),
        ExprKind::Load(_) | ExprKind::Addr(_) | ExprKind::Function(_) => None,
        ExprKind::Cast(inner) => {
            cast(types, evaluate(types, exprs, inner, accept)?, exprs.type_of(inner), expr.ty)
        }
        ExprKind::Unary(op, a) => match (evaluate(types, exprs, a, accept)?, types.get(expr.ty)) {
            (Constant::Int(a), _) => {
                let (width, signed) = arith::shape(types, expr.ty)?;
                accept(arith::unary(op, width, signed, a)).map(Constant::Int)
            }
            (Constant::Float(a), &Type::Float(kind)) if op == UnaryOp::Neg => {
                Some(Constant::Float(float::negate(a, kind)))
            }
            _ => None,
        },
        ExprKind::Binary(op, a, b) => {
            let operands = (evaluate(types, exprs, a, accept)?, evaluate(types, exprs, b, accept)?);
            binary(types, op, exprs.type_of(a), operands, accept)
        }
    }
}

fn binary(
    types: &Types,
    op: BinaryOp,
    ty: TypeId,
    operands: (Constant, Constant),
    accept: fn(Outcome) -> Option<i128>,
) -> Option<Constant> {
    match operands {
        (Constant::Int(a), Constant::Int(b)) => {
            let (width, signed) = arith::shape(types, ty)?;
            match op {
                BinaryOp::PtrAdd | BinaryOp::PtrSub => {
                    let stride = i128::from(types.stride(types.pointee(ty)?)?);
                    let by = if op == BinaryOp::PtrAdd { b } else { -b };
                    Some(Constant::Int(arith::wrap_to(width, false, a.wrapping_add(by.wrapping_mul(stride)))))
                }
                BinaryOp::PtrDiff => {
                    let stride = i128::from(types.stride(types.pointee(ty)?)?);
                    (stride != 0).then(|| Constant::Int(arith::wrap_to(width, true, a - b) / stride))
                }
                _ => accept(arith::binary(op, width, signed, a, b)?).map(Constant::Int),
            }
        }
        (Constant::Float(a), Constant::Float(b)) => {
            let kind = types.float_kind(ty)?;
            float::arithmetic(op, kind, a, b)
                .map(Constant::Float)
                .or_else(|| float::compare(op, kind, a, b).map(|truth| Constant::Int(i128::from(truth))))
        }
        _ => None,
    }
}

/// Conversion of a constant; `None` where it is undefined.
pub fn cast(types: &Types, constant: Constant, from: TypeId, to: TypeId) -> Option<Constant> {
    match (constant, types.get(to)) {
        (Constant::Int(value), Type::Int(_) | Type::Pointer(_)) => {
            Some(Constant::Int(arith::wrap(types, to, value)))
        }
        (Constant::Int(value), &Type::Float(kind)) => {
            let unsigned = types.int_kind(from) == Some(IntKind::UnsignedInt128);
            Some(Constant::Float(float::from_int(value, unsigned, kind)))
        }
        (Constant::Float(bits), &Type::Int(kind)) => {
            let format = types.float_kind(from)?;
            if kind == IntKind::Bool {
                let zero = float::from_int(0, false, format);
                let truth = float::compare(BinaryOp::Ne, format, bits, zero)?;
                return Some(Constant::Int(i128::from(truth)));
            }
            let (width, signed) = arith::shape(types, to)?;
            float::to_int(bits, format, width, signed).map(Constant::Int)
        }
        (Constant::Float(bits), &Type::Float(kind)) => {
            Some(Constant::Float(float::convert(bits, types.float_kind(from)?, kind)))
        }
        _ => None,
    }
}

/// The constant one of a floating type, for `++`.
pub fn one(kind: FloatKind) -> u128 {
    float::from_int(1, false, kind)
}
