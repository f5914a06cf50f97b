//! Assumptions: a condition whose value is known passes or fails. From other conditions, values of single
//! cells follow.
//!
//! `x == c` gives x. So does everything that can be turned into it: conversions that lose nothing, adding a
//! constant, negation, comparisons compared with 0 and 1, and inequalities that leave one value in the range
//! of the type. From `x != 0` and everything that implies it follows that x is not zero, for cells for which
//! this fact is followed.

use super::constant::{self, Constant};
use super::eval::Spot;
use super::post::Post;
use summa_c::arith;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, UnaryOp};
use summa_c::types::{IntKind, Type, TypeId, Types};

/// A demand on an expression whose value is not known.
enum Wish {
    /// A comparison that should (not) hold.
    Truth(ExprId, bool),
    /// An expression that should have this value.
    Value(ExprId, Constant),
    /// An integer or pointer that should not be zero.
    NonZero(ExprId),
    /// There is nothing more to learn.
    Nothing,
    /// The demand cannot hold.
    Impossible,
}

impl Post<'_, '_> {
    /// False if no execution passes.
    pub(super) fn assume(&mut self, condition: ExprId, truth: bool) -> bool {
        match self.eval(condition) {
            Some(Constant::NonZero) => return truth,
            Some(value) => return value.bits().is_none_or(|bits| (bits != 0) == truth),
            None => {}
        }
        let mut wish = Wish::Truth(condition, truth);
        loop {
            wish = match wish {
                Wish::Nothing => return true,
                Wish::Impossible => return false,
                Wish::Truth(expr, truth) => self.truth(expr, truth),
                Wish::Value(expr, value) => self.equal(expr, value),
                Wish::NonZero(expr) => self.non_zero(expr),
            }
        }
    }

    fn truth(&mut self, expr: ExprId, truth: bool) -> Wish {
        let (exprs, types) = (&self.semantics.cfa.program.exprs, &self.semantics.cfa.program.types);
        let ExprKind::Binary(op, left, right) = exprs.expr(expr).kind else { return Wish::Nothing };
        let ty = exprs.type_of(left);
        let Some(op) = (if truth { Some(op) } else { negated(types, ty, op) }) else { return Wish::Nothing };
        let mut known = |expr| self.eval(expr).filter(|&value| value != Constant::NonZero);
        let (unknown, op, value) = match (known(left), known(right)) {
            (None, Some(value)) => (left, op, value),
            (Some(value), None) => (right, mirrored(op), value),
            _ => return Wish::Nothing,
        };
        match (op, value) {
            (BinaryOp::Eq, Constant::Float(kind, bits)) => {
                // Both zeros are equal to zero, and nothing is equal to a NaN.
                let zero = summa_c::float::from_int(0, false, kind);
                let is_zero = summa_c::float::compare(BinaryOp::Eq, kind, bits, zero);
                if is_zero == Some(false) { Wish::Value(unknown, value) } else { Wish::Nothing }
            }
            // A pointer that equals the address of an object may be the end of another object.
            (BinaryOp::Eq, Constant::Int(_) | Constant::Function(_)) => Wish::Value(unknown, value),
            (_, Constant::Int(bits)) => self.ordered(op, ty, unknown, bits),
            _ => Wish::Nothing,
        }
    }

    /// `unknown op bits`, where few values remain.
    fn ordered(&self, op: BinaryOp, ty: TypeId, unknown: ExprId, bits: u128) -> Wish {
        let types = &self.semantics.cfa.program.types;
        let (Some((mut low, mut high)), Some(bound)) =
            (self.range(unknown), constant::number(types, ty, bits))
        else {
            return Wish::Nothing;
        };
        match op {
            BinaryOp::Lt => high = high.min(bound.saturating_sub(1)),
            BinaryOp::Le => high = high.min(bound),
            BinaryOp::Gt => low = low.max(bound.saturating_add(1)),
            BinaryOp::Ge => low = low.max(bound),
            BinaryOp::Ne if bound == low => low += 1,
            BinaryOp::Ne if bound == high => high -= 1,
            _ => {}
        }
        if low > high {
            return Wish::Impossible;
        }
        match constant::of_number(types, ty, low) {
            Some(value) if low == high => Wish::Value(unknown, value),
            _ if low > 0 || high < 0 || (op, bound) == (BinaryOp::Ne, 0) => Wish::NonZero(unknown),
            _ => Wish::Nothing,
        }
    }

    /// `expr != 0`, where no value of the expression is known.
    fn non_zero(&mut self, expr: ExprId) -> Wish {
        let (exprs, types) = (&self.semantics.cfa.program.exprs, &self.semantics.cfa.program.types);
        let is_number = |ty: TypeId| matches!(types.get(ty), Type::Int(_) | Type::Pointer(_));
        let ty = exprs.type_of(expr);
        match exprs.expr(expr).kind {
            ExprKind::Load(_) if is_number(ty) => self.equal(expr, Constant::NonZero),
            // Zero would have become zero.
            ExprKind::Cast(inner) if is_number(ty) && is_number(exprs.type_of(inner)) => Wish::NonZero(inner),
            ExprKind::Unary(UnaryOp::Neg, inner) if is_number(ty) => Wish::NonZero(inner),
            ExprKind::Binary(op, ..) if op.is_comparison() => Wish::Truth(expr, true),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Mul, left, right) if is_number(ty) => {
                match (self.eval(left), self.eval(right)) {
                    (None, Some(_)) => Wish::NonZero(left),
                    (Some(_), None) => Wish::NonZero(right),
                    _ => Wish::Nothing,
                }
            }
            _ => Wish::Nothing,
        }
    }

    /// The values that an integer expression can have; of the widest types nothing is said.
    fn range(&self, mut expr: ExprId) -> Option<(i128, i128)> {
        let (exprs, types) = (&self.semantics.cfa.program.exprs, &self.semantics.cfa.program.types);
        loop {
            match exprs.expr(expr).kind {
                ExprKind::Binary(op, ..) if op.is_comparison() => return Some((0, 1)),
                ExprKind::Cast(inner) if types.keeps_values(exprs.type_of(inner), exprs.type_of(expr)) => {
                    expr = inner;
                }
                _ => break,
            }
        }
        let ty = exprs.type_of(expr);
        if types.int_kind(ty)? == IntKind::Bool {
            return Some((0, 1));
        }
        let (width, signed) = arith::shape(types, ty)?;
        match (width, signed) {
            (128.., _) => None,
            (_, true) => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
            (_, false) => Some((0, (1 << width) - 1)),
        }
    }

    /// `expr == value`, where the expression is not known.
    fn equal(&mut self, expr: ExprId, value: Constant) -> Wish {
        let program = &self.semantics.cfa.program;
        let (exprs, types) = (&program.exprs, &program.types);
        let ty = exprs.type_of(expr);
        match (exprs.expr(expr).kind, value) {
            (ExprKind::Load(place), _) => {
                if let Spot::Exact { var, at, width } = self.semantics.spot(&self.state, place) {
                    return self.learn(
                        var,
                        at,
                        width,
                        ty,
                        program.bit_field(place).map(|bits| bits.width),
                        value,
                    );
                }
                Wish::Nothing
            }
            (ExprKind::Cast(inner), _) => {
                let from = exprs.type_of(inner);
                match (types.get(from), types.get(ty), value) {
                    (_, Type::Int(IntKind::Bool), Constant::Int(bits)) => match (types.get(from), bits) {
                        (_, 2..) => Wish::Impossible,
                        (Type::Int(_) | Type::Pointer(_), 0) => Wish::Value(inner, Constant::ZERO),
                        (Type::Int(_), _) => self.ordered(BinaryOp::Ne, from, inner, 0),
                        _ => Wish::Nothing,
                    },
                    (
                        Type::Int(_) | Type::Pointer(_),
                        Type::Int(_) | Type::Pointer(_),
                        Constant::Int(bits),
                    ) => self.unconverted(inner, (from, ty), bits),
                    (Type::Pointer(_), Type::Pointer(_), Constant::Function(_)) => Wish::Value(inner, value),
                    _ => Wish::Nothing,
                }
            }
            (ExprKind::Unary(op @ (UnaryOp::Neg | UnaryOp::BitNot), inner), Constant::Int(_)) => {
                // Both are their own inverse.
                constant::unary(types, op, ty, value).map_or(Wish::Nothing, |value| Wish::Value(inner, value))
            }
            (ExprKind::Binary(op, ..), Constant::Int(bits)) if op.is_comparison() => match bits {
                0 | 1 => Wish::Truth(expr, bits == 1),
                _ => Wish::Impossible,
            },
            (
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor), left, right),
                Constant::Int(_),
            ) => {
                let compute = |op, a, b| constant::binary(program, op, (ty, ty), (a, b));
                let solved = match (self.eval(left), self.eval(right), op) {
                    (Some(a), None, BinaryOp::Add) => compute(BinaryOp::Sub, value, a).map(|v| (right, v)),
                    (Some(a), None, _) => compute(op, a, value).map(|v| (right, v)),
                    (None, Some(b), BinaryOp::Add) => compute(BinaryOp::Sub, value, b).map(|v| (left, v)),
                    (None, Some(b), BinaryOp::Sub) => compute(BinaryOp::Add, value, b).map(|v| (left, v)),
                    (None, Some(b), _) => compute(op, value, b).map(|v| (left, v)),
                    _ => None,
                };
                match solved {
                    Some((unknown, value @ Constant::Int(_))) => Wish::Value(unknown, value),
                    _ => Wish::Nothing,
                }
            }
            _ => Wish::Nothing,
        }
    }

    /// The value of an integer that became `bits` by a conversion that loses nothing.
    fn unconverted(&self, inner: ExprId, (from, to): (TypeId, TypeId), bits: u128) -> Wish {
        let types = &self.semantics.cfa.program.types;
        let (Some(number), Some(own), Some(width)) =
            (constant::number(types, to, bits), types.int_width(from), types.int_width(to))
        else {
            return Wish::Nothing;
        };
        if own > width {
            return Wish::Nothing;
        }
        let before = arith::wrap(types, from, number);
        if arith::wrap(types, to, before) != number
            || types.int_kind(from) == Some(IntKind::Bool) && before != number
        {
            return Wish::Impossible;
        }
        constant::of_number(types, from, before).map_or(Wish::Nothing, |value| Wish::Value(inner, value))
    }

    /// These bits of a variable have the value.
    fn learn(
        &mut self,
        var: summa_c::tree::VarId,
        at: u64,
        width: u64,
        ty: TypeId,
        bit_field: Option<u32>,
        value: Constant,
    ) -> Wish {
        let types = &self.semantics.cfa.program.types;
        let value = match (bit_field, value) {
            (Some(width), Constant::Int(bits)) => {
                let Some(number) = constant::number(types, ty, bits) else { return Wish::Nothing };
                if arith::wrap_to(width, types.is_signed(ty), number) != number {
                    return Wish::Impossible;
                }
                Constant::Int(constant::low(width, number))
            }
            (Some(_), _) => return Wish::Nothing,
            // For a cell that is known not to be zero, this is nothing new. If the cell is not followed,
            // nothing must be forgotten.
            (None, Constant::NonZero) if types.int_kind(ty) == Some(IntKind::Bool) => Constant::truth(true),
            (None, value) => value,
        };
        if types.int_kind(ty) == Some(IntKind::Bool) && value.bits().is_some_and(|bits| bits > 1) {
            return Wish::Impossible;
        }
        let mut cells = self.semantics.cells.overlapping(var, at, width);
        if let (Some(cell), None) = (cells.next(), cells.next()) {
            let whole = self.semantics.cells.get(cell);
            let is_open = matches!(self.state.get(cell), None | Some(Constant::NonZero));
            if whole.at == at && u64::from(whole.width) == width && is_open {
                self.set(cell, value);
            }
        }
        Wish::Nothing
    }
}

/// The operator that holds exactly where `op` does not; None for floats, where neither may hold.
fn negated(types: &Types, ty: TypeId, op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ if types.is_float(ty) => return None,
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        _ => return None,
    })
}

/// `a op b` is `b mirrored(op) a`.
fn mirrored(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        _ => op,
    }
}
