//! What values answer when another component asks, and what they ask others.
//!
//! Answers change nothing, so expressions are evaluated here without the programs and the notes of
//! [`super::eval`]. Limits: expressions that nest deeper than [`MAX_DEPTH`] are not answered.

use super::constant::{self, Constant};
use super::eval::{Semantics, Spot};
use super::post::Post;
use super::state::Values;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, VarId};
use summa_c::types::TypeId;
use summa_cpa::{Answer, Query};

const MAX_DEPTH: u32 = 12;

impl Semantics<'_> {
    pub(super) fn answer(&self, state: &Values, query: Query) -> Answer {
        let program = &self.cfa.program;
        let value = |expr: ExprId| self.value_of(state, expr, MAX_DEPTH);
        let answer = match query {
            Query::Range(expr) => match value(expr) {
                Some(Constant::Int(bits)) if program.types.is_integer(program.exprs.type_of(expr)) => {
                    constant::number(&program.types, program.exprs.type_of(expr), bits).map(Answer::number)
                }
                _ => None,
            },
            Query::IsZero(expr) if program.types.float_kind(program.exprs.type_of(expr)).is_none() => {
                value(expr).map(|value| Answer::Truth(value == Constant::ZERO))
            }
            Query::IsZero(_) => None,
            Query::Size(pointer) => match value(pointer) {
                Some(Constant::Address { var, .. }) => {
                    program.types.size_of(program.vars[var].ty).map(|size| Answer::number(size.into()))
                }
                _ => None,
            },
            Query::MayAlias(a, b) => self.may_alias(state, a, b).map(Answer::Truth),
        };
        answer.unwrap_or_default()
    }

    /// Nothing is said of places that may leave their variables.
    fn may_alias(&self, state: &Values, a: PlaceId, b: PlaceId) -> Option<bool> {
        let (types, exprs) = (&self.cfa.program.types, &self.cfa.program.exprs);
        let part = |place: PlaceId| {
            let (var, at) = self.address_of(state, place, MAX_DEPTH)?;
            let end = at.checked_add(types.size_of(exprs.place(place).ty)?)?;
            (end <= types.size_of(self.cfa.program.vars[var].ty)?).then_some((var, at, end))
        };
        let ((one, start, end), (other, from, to)) = (part(a)?, part(b)?);
        Some(one == other && start < to && from < end)
    }

    fn value_of(&self, state: &Values, expr: ExprId, depth: u32) -> Option<Constant> {
        let (program, depth) = (&self.cfa.program, depth.checked_sub(1)?);
        let (types, exprs) = (&program.types, &program.exprs);
        let expr = exprs.expr(expr);
        match expr.kind {
            ExprKind::Int(number) => constant::of_number(types, expr.ty, number),
            ExprKind::Load(place) if program.bit_field(place).is_none() => {
                let (var, byte) = self.address_of(state, place, depth)?;
                let width = super::cells::width(types, expr.ty)?;
                let found = self.look(state, var, 8 * byte, width)?;
                constant::as_type(types, expr.ty, found)
            }
            ExprKind::Cast(inner) => {
                let value = self.value_of(state, inner, depth)?;
                constant::cast(program, exprs.type_of(inner), expr.ty, value)
            }
            ExprKind::Unary(op, inner) => {
                constant::unary(types, op, expr.ty, self.value_of(state, inner, depth)?)
            }
            ExprKind::Binary(op, a, b) if !is_about_pointers(op) => {
                let operands = (self.value_of(state, a, depth)?, self.value_of(state, b, depth)?);
                constant::binary(program, op, (exprs.type_of(a), exprs.type_of(b)), operands)
            }
            _ => None,
        }
    }

    /// The variable and the byte in it where the place begins. A variable of a recursive function is only
    /// meant by its name.
    fn address_of(&self, state: &Values, place: PlaceId, depth: u32) -> Option<(VarId, u64)> {
        let (program, depth) = (&self.cfa.program, depth.checked_sub(1)?);
        let (types, exprs) = (&program.types, &program.exprs);
        let at = exprs.place(place);
        match at.kind {
            PlaceKind::Var(var) => Some((var, 0)),
            PlaceKind::Field(inner, number) => {
                let (var, byte) = self.address_of(state, inner, depth)?;
                let record = types.record_of(exprs.place(inner).ty)?;
                Some((var, byte.checked_add(types.record(record).fields[number as usize].offset)?))
            }
            PlaceKind::Index(inner, index) => {
                let (var, byte) = self.address_of(state, inner, depth)?;
                let number = self.number_of(state, index, depth)?;
                let offset = number.checked_mul(types.size_of(at.ty)?.into())?;
                Some((var, u64::try_from(i128::from(byte).checked_add(offset)?).ok()?))
            }
            PlaceKind::Deref(pointer) => match self.value_of(state, pointer, depth)? {
                Constant::Address { var, offset } => Some((var, u64::try_from(offset).ok()?)),
                _ => None,
            },
        }
    }

    fn number_of(&self, state: &Values, expr: ExprId, depth: u32) -> Option<i128> {
        let ty: TypeId = self.cfa.program.exprs.type_of(expr);
        match self.value_of(state, expr, depth)? {
            Constant::Int(bits) => constant::number(&self.cfa.program.types, ty, bits),
            _ => None,
        }
    }

    /// The bits of a variable, where they are in one cell that is known.
    fn look(&self, state: &Values, var: VarId, at: u64, width: u32) -> Option<Constant> {
        let mut cells = self.cells.overlapping(var, at, width.into());
        let (cell, None) = (cells.next()?, cells.next()) else { return None };
        let whole = self.cells.get(cell);
        if whole.at == at && whole.width == width { state.get(cell) } else { None }
    }
}

impl Post<'_, '_> {
    /// Where a place lies that is assigned to. If the index of an array is not known, other components may
    /// know which elements are possible.
    pub(super) fn spot_with_answers(&mut self, place: PlaceId) -> Spot {
        let spot = self.semantics.spot(&self.state, place);
        if let Spot::Exact { .. } = spot {
            return spot;
        }
        self.elements(place).unwrap_or(spot)
    }

    /// The elements that an index allows, if all of them are in the array.
    fn elements(&mut self, place: PlaceId) -> Option<Spot> {
        let program = &self.semantics.cfa.program;
        let PlaceKind::Index(array, index) = program.exprs.place(place).kind else { return None };
        let stride = program.types.size_of(program.exprs.place(place).ty)?;
        let len = program.types.size_of(program.exprs.place(array).ty)?.checked_div(stride)?;
        let (var, byte) = self.semantics.address(&self.state, array)?;
        let (first, last) = self.others.range(index)?;
        let (first, last) = (u64::try_from(first).ok()?, u64::try_from(last).ok()?);
        let object = program.types.size_of(program.vars[var].ty)?;
        let end = byte.checked_add((last.checked_add(1)?).checked_mul(stride)?)?;
        let is_inside = last < len && end <= object;
        is_inside.then(|| Spot::Within {
            var,
            at: 8 * (byte + first * stride),
            width: 8 * (last + 1 - first) * stride,
        })
    }
}

fn is_about_pointers(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::PtrAdd | BinaryOp::PtrSub | BinaryOp::PtrDiff)
}
