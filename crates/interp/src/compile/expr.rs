//! Expressions. They may be nested deeply and shared, so they are visited with an explicit stack, parts
//! first, and every part is computed once for an edge.

use super::layout::{Compiler, Operand, Refused};
use super::place::move_inst;
use crate::bytecode::{Inst, Slot};
use crate::memory::address::function_address;
use crate::scalar::{Scalar, convert};
use summa_base::Id;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp};
use summa_c::types::TypeId;

/// A part to be computed.
#[derive(Clone, Copy)]
enum Part {
    Value(ExprId),
    /// Where a place is.
    Place(PlaceId),
    /// Where a pointer points.
    Pointer(ExprId),
}

impl Compiler<'_, '_> {
    // ---- the order of computation ----

    /// Computes a value; a record's value is its address.
    pub(super) fn value(&mut self, expr: ExprId) -> Result<Operand, Refused> {
        self.parts(Part::Value(expr))?;
        self.known_value(expr)
    }

    /// Computes a value into given slots.
    pub(super) fn value_into(&mut self, expr: ExprId, dst: Slot) -> Result<(), Refused> {
        if self.values.contains_key(&expr) {
            let value = self.known_value(expr)?;
            let kind = self.scalar(self.tree.exprs.type_of(expr))?;
            self.move_to(kind, dst, value);
            return Ok(());
        }
        for part in self.children(Part::Value(expr)) {
            self.parts(part)?;
        }
        match self.compute(expr, Some(dst))? {
            Operand::Slot(slot) if slot == dst => {}
            other => {
                let kind = self.scalar(self.tree.exprs.type_of(expr))?;
                self.move_to(kind, dst, other);
            }
        }
        Ok(())
    }

    /// Computes where a place is.
    pub(super) fn locate(&mut self, place: PlaceId) -> Result<super::place::Storage, Refused> {
        self.parts(Part::Place(place))?;
        self.places.get(&place).copied().ok_or_else(|| "a place that was not computed".into())
    }

    fn parts(&mut self, root: Part) -> Result<(), Refused> {
        let mut stack = vec![(root, false)];
        while let Some((part, ready)) = stack.pop() {
            let known = match part {
                Part::Value(id) => self.values.contains_key(&id),
                Part::Place(id) => self.places.contains_key(&id),
                Part::Pointer(id) => self.pointers.contains_key(&id),
            };
            if known {
                continue;
            }
            if !ready {
                stack.push((part, true));
                stack.extend(self.children(part).into_iter().rev().map(|child| (child, false)));
                continue;
            }
            match part {
                Part::Value(id) => {
                    let value = self.compute(id, None)?;
                    self.values.insert(id, value);
                }
                Part::Place(id) => {
                    let location = self.place_location(id)?;
                    self.places.insert(id, location);
                }
                Part::Pointer(id) => {
                    let location = self.pointer_location(id)?;
                    self.pointers.insert(id, location);
                }
            }
        }
        Ok(())
    }

    fn children(&self, part: Part) -> Vec<Part> {
        let exprs = &self.tree.exprs;
        match part {
            Part::Value(id) => match exprs.expr(id).kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => vec![],
                ExprKind::Load(place) | ExprKind::Addr(place) => vec![Part::Place(place)],
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => vec![Part::Value(a)],
                ExprKind::Binary(BinaryOp::PtrAdd | BinaryOp::PtrSub, ..) => vec![Part::Pointer(id)],
                ExprKind::Binary(_, a, b) => vec![Part::Value(a), Part::Value(b)],
            },
            Part::Pointer(id) => match exprs.expr(id).kind {
                ExprKind::Addr(place) => vec![Part::Place(place)],
                ExprKind::Binary(BinaryOp::PtrAdd | BinaryOp::PtrSub, base, index) => {
                    vec![Part::Pointer(base), Part::Value(index)]
                }
                ExprKind::Cast(inner) if self.is_pointer_cast(exprs.type_of(id), inner) => {
                    vec![Part::Pointer(inner)]
                }
                _ => vec![Part::Value(id)],
            },
            Part::Place(id) => match exprs.place(id).kind {
                PlaceKind::Var(_) => vec![],
                PlaceKind::Deref(pointer) => vec![Part::Pointer(pointer)],
                PlaceKind::Field(base, _) => vec![Part::Place(base)],
                PlaceKind::Index(base, index) => vec![Part::Place(base), Part::Value(index)],
            },
        }
    }

    pub(super) fn known_value(&mut self, expr: ExprId) -> Result<Operand, Refused> {
        self.values.get(&expr).copied().ok_or_else(|| "a value before its parts".into())
    }

    // ---- operands ----

    pub(super) fn scalar(&self, ty: TypeId) -> Result<Scalar, Refused> {
        Scalar::of(&self.tree.types, ty)
            .ok_or_else(|| format!("a value of type `{}`", self.tree.types.declare(ty, "", &self.tree.names)))
    }

    /// The operand in a slot.
    pub(super) fn slot(&mut self, operand: Operand) -> Slot {
        match operand {
            Operand::Slot(slot) => slot,
            Operand::Const(value) => {
                let dst = self.temp(1);
                self.emit(Inst::Const { dst, value });
                dst
            }
        }
    }

    pub(super) fn move_to(&mut self, kind: Scalar, dst: Slot, operand: Operand) {
        match operand {
            Operand::Slot(src) if src == dst => {}
            Operand::Slot(src) => self.emit(move_inst(kind, dst, src)),
            Operand::Const(value) => self.emit(Inst::Const { dst, value }),
        }
    }

    fn wide_constant(&mut self, kind: Scalar, bits: u128, dst: Option<Slot>) -> Operand {
        if !kind.is_wide() {
            return Operand::Const(bits as u64);
        }
        let dst = dst.unwrap_or_else(|| self.temp(2));
        self.emit(Inst::Const { dst, value: bits as u64 });
        self.emit(Inst::Const { dst: dst + 1, value: (bits >> 64) as u64 });
        Operand::Slot(dst)
    }

    // ---- one node ----

    fn compute(&mut self, id: ExprId, dst: Option<Slot>) -> Result<Operand, Refused> {
        let expr = self.tree.exprs.expr(id);
        match expr.kind {
            ExprKind::Int(value) => {
                let kind = self.scalar(expr.ty)?;
                Ok(self.wide_constant(kind, kind.from_int(value), dst))
            }
            ExprKind::Float(bits) => {
                let kind = self.scalar(expr.ty)?;
                Ok(self.wide_constant(kind, bits, dst))
            }
            ExprKind::Function(function) => Ok(Operand::Const(function_address(function.index()))),
            ExprKind::Load(place) => {
                let location = self.locate(place)?;
                match Scalar::of(&self.tree.types, expr.ty) {
                    Some(kind) => self.load(location, self.tree.bit_field(place), kind, dst),
                    None => self.address(location),
                }
            }
            ExprKind::Addr(place) => {
                let location = self.locate(place)?;
                self.address(location)
            }
            ExprKind::Unary(op, a) => {
                let kind = self.scalar(expr.ty)?;
                let a = self.known_value(a)?;
                self.unary(op, kind, a, dst)
            }
            ExprKind::Cast(inner) => {
                if self.tree.types.is_void(expr.ty) {
                    return Ok(Operand::Const(0));
                }
                let (from, to) = (self.scalar(self.tree.exprs.type_of(inner))?, self.scalar(expr.ty)?);
                let value = self.known_value(inner)?;
                Ok(self.cast(from, to, value, dst))
            }
            ExprKind::Binary(BinaryOp::PtrAdd | BinaryOp::PtrSub, ..) => {
                let location = self.pointers.get(&id).copied().ok_or("a pointer before its parts")?;
                self.address(location)
            }
            ExprKind::Binary(BinaryOp::PtrDiff, a, b) => self.pointer_difference(a, b),
            ExprKind::Binary(op, a, b) => {
                let kind = self.scalar(self.tree.exprs.type_of(a))?;
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let amount = self.scalar(self.tree.exprs.type_of(b))?;
                let (a, b) = (self.known_value(a)?, self.known_value(b)?);
                if shift && amount.is_wide() {
                    return Err("a shift by an amount of a 128-bit type".into());
                }
                let dst = dst.unwrap_or_else(|| self.temp(if op.is_comparison() { 1 } else { kind.slots() }));
                self.binary(op, kind, dst, a, b);
                Ok(Operand::Slot(dst))
            }
        }
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        kind: Scalar,
        a: Operand,
        dst: Option<Slot>,
    ) -> Result<Operand, Refused> {
        let a = self.slot(a);
        let dst = dst.unwrap_or_else(|| self.temp(kind.slots()));
        self.emit(match op {
            UnaryOp::Neg => Inst::Neg { kind, dst, a },
            UnaryOp::BitNot => Inst::Not { kind, dst, a },
        });
        Ok(Operand::Slot(dst))
    }

    pub(super) fn cast(&mut self, from: Scalar, to: Scalar, value: Operand, dst: Option<Slot>) -> Operand {
        if let Operand::Const(bits) = value {
            let converted = convert(from, to, u128::from(bits));
            return self.wide_constant(to, converted, dst);
        }
        if keeps_bits(from, to) {
            return value;
        }
        let src = self.slot(value);
        let dst = dst.unwrap_or_else(|| self.temp(to.slots()));
        let small_ints = !from.is_wide() && !from.is_float() && !to.is_wide() && !to.is_float();
        self.emit(match to {
            Scalar::Bool if small_ints => Inst::ToBool { dst, src },
            _ if small_ints => Inst::Extend { to, dst, src },
            _ => Inst::Convert { from, to, dst, src },
        });
        Operand::Slot(dst)
    }

    fn pointer_difference(&mut self, a: ExprId, b: ExprId) -> Result<Operand, Refused> {
        let ty = self.tree.exprs.type_of(a);
        let target = self.tree.types.pointee(ty).ok_or("a difference of things that are no pointers")?;
        let stride = match self.tree.types.stride(target) {
            Some(stride) => super::place::Size::Const(stride),
            None => self.size_of(target)?,
        };
        let (a, b) = (self.known_value(a)?, self.known_value(b)?);
        let (a, b) = (self.slot(a), self.slot(b));
        let bytes = self.temp(1);
        self.emit(Inst::PtrDiff { dst: bytes, a, b });
        if matches!(stride, super::place::Size::Const(1)) {
            return Ok(Operand::Slot(bytes));
        }
        let divisor = self.size_slot(stride);
        let dst = self.temp(1);
        self.emit(Inst::Div { kind: Scalar::I64, dst, a: bytes, b: divisor });
        Ok(Operand::Slot(dst))
    }

    /// Any operator but those on pointers; comparisons give 0 or 1.
    fn binary(&mut self, op: BinaryOp, kind: Scalar, dst: Slot, a: Operand, b: Operand) {
        use BinaryOp as B;
        use Scalar as S;
        let imm = match b {
            Operand::Const(value) => i32::try_from(value as i64).ok(),
            Operand::Slot(_) => None,
        };
        if let (Operand::Slot(a), Some(imm)) = (a, imm) {
            let minus = imm.checked_neg();
            let fused = match (op, kind, minus) {
                (B::Add, S::I32, _) => Some(Inst::AddS32I { dst, a, imm }),
                (B::Add, S::U32, _) => Some(Inst::AddU32I { dst, a, imm }),
                (B::Add, S::I64, _) => Some(Inst::AddS64I { dst, a, imm }),
                (B::Add, S::U64, _) => Some(Inst::AddU64I { dst, a, imm }),
                (B::Sub, S::I32, Some(imm)) => Some(Inst::AddS32I { dst, a, imm }),
                (B::Sub, S::U32, Some(imm)) => Some(Inst::AddU32I { dst, a, imm }),
                (B::Sub, S::I64, Some(imm)) => Some(Inst::AddS64I { dst, a, imm }),
                (B::Sub, S::U64, Some(imm)) => Some(Inst::AddU64I { dst, a, imm }),
                (B::And, S::I32 | S::U32 | S::I64 | S::U64, _) => Some(Inst::AndI { dst, a, imm }),
                _ => None,
            };
            if let Some(inst) = fused {
                self.emit(inst);
                return;
            }
        }
        let (a, b) = (self.slot(a), self.slot(b));
        if kind.is_wide() {
            self.emit(Inst::Slow { op, kind, dst, a, b });
            return;
        }
        if kind.is_float() {
            self.emit(Inst::Float { op, kind, dst, a, b });
            return;
        }
        // Canonical values of at most 32 bits compare as signed 64-bit numbers whatever their signedness.
        let unsigned = kind == S::U64;
        let inst = match (op, kind) {
            (B::Eq, _) => Inst::SetEq { dst, a, b },
            (B::Ne, _) => Inst::SetNe { dst, a, b },
            (B::Lt, _) if unsigned => Inst::SetLtU { dst, a, b },
            (B::Le, _) if unsigned => Inst::SetLeU { dst, a, b },
            (B::Gt, _) if unsigned => Inst::SetLtU { dst, a: b, b: a },
            (B::Ge, _) if unsigned => Inst::SetLeU { dst, a: b, b: a },
            (B::Lt, _) => Inst::SetLtS { dst, a, b },
            (B::Le, _) => Inst::SetLeS { dst, a, b },
            (B::Gt, _) => Inst::SetLtS { dst, a: b, b: a },
            (B::Ge, _) => Inst::SetLeS { dst, a: b, b: a },
            (B::And, _) => Inst::And { dst, a, b },
            (B::Or, _) => Inst::Or { dst, a, b },
            (B::Xor, _) => Inst::Xor { dst, a, b },
            (B::Div, _) => Inst::Div { kind, dst, a, b },
            (B::Rem, _) => Inst::Rem { kind, dst, a, b },
            (B::Shl, _) => Inst::Shl { kind, dst, a, b },
            (B::Shr, _) => Inst::Shr { kind, dst, a, b },
            (B::Add, S::I32) => Inst::AddS32 { dst, a, b },
            (B::Add, S::U32) => Inst::AddU32 { dst, a, b },
            (B::Add, S::I64) => Inst::AddS64 { dst, a, b },
            (B::Add, S::U64) => Inst::AddU64 { dst, a, b },
            (B::Sub, S::I32) => Inst::SubS32 { dst, a, b },
            (B::Sub, S::U32) => Inst::SubU32 { dst, a, b },
            (B::Sub, S::I64) => Inst::SubS64 { dst, a, b },
            (B::Sub, S::U64) => Inst::SubU64 { dst, a, b },
            (B::Mul, S::I32) => Inst::MulS32 { dst, a, b },
            (B::Mul, S::U32) => Inst::MulU32 { dst, a, b },
            (B::Mul, S::I64) => Inst::MulS64 { dst, a, b },
            (B::Mul, S::U64) => Inst::MulU64 { dst, a, b },
            _ => Inst::Slow { op, kind, dst, a, b },
        };
        self.emit(inst);
    }
}

/// Is the canonical form of the converted value the same as that of the value?
fn keeps_bits(from: Scalar, to: Scalar) -> bool {
    use Scalar::*;
    if from == to {
        return true;
    }
    if from.is_float() || to.is_float() || from.is_wide() || to.is_wide() || to == Bool {
        return false;
    }
    matches!(to, I64 | U64)
        || match from {
            Bool | U8 => !matches!(to, I8),
            I8 => matches!(to, I16 | I32),
            U16 => matches!(to, I32 | U32),
            I16 => matches!(to, I32),
            _ => false,
        }
}
