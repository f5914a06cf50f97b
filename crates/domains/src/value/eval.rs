//! Values of expressions and positions of places in a state. If a part is not known, everything that depends
//! on it is unknown.

use super::cells::{CellId, Cells, width};
use super::code::{Code, Compiler, Instr};
use super::constant::{self, Constant};
use super::state::Values;
use std::rc::Rc;
use summa_base::{FxHashMap, IdSet};
use summa_c::arith;
use summa_c::tree::{ExprId, FuncId, PlaceId, PlaceKind, VarId};
use summa_cfa::Cfa;
use summa_cfa::members::stays_in_member;
use summa_cpa::Step;
use summa_facts::Analyses;

/// The effect of edges on constants. Remembers which cells the last operation read and set.
pub struct Semantics<'a> {
    pub cfa: &'a Cfa,
    pub facts: &'a Analyses,
    pub cells: Cells,
    compiler: Compiler,
    stack: Vec<Option<Constant>>,
    /// Cells that were looked at, known or not.
    pub reads: Vec<CellId>,
    /// Cells that got a value.
    pub writes: Vec<CellId>,
    /// Functions with a variable whose address is taken.
    pub(super) exposed: IdSet<FuncId>,
    /// Cells that are irrelevant after a step: see `post`.
    pub(super) dying: FxHashMap<Step, Rc<[CellId]>>,
}

/// The position of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Just these bits of the variable.
    Exact {
        var: VarId,
        at: u64,
        width: u64,
    },
    /// Somewhere within these bits of the variable.
    Within {
        var: VarId,
        at: u64,
        width: u64,
    },
    Unknown,
}

impl<'a> Semantics<'a> {
    pub fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        let taken = facts.variables.address_taken.iter();
        Self {
            cfa,
            facts,
            exposed: taken.filter_map(|var| cfa.program.vars[var].kind.frame()).collect(),
            cells: Cells::new(cfa, facts),
            compiler: Compiler::default(),
            stack: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            dying: FxHashMap::default(),
        }
    }

    /// The value of a scalar expression.
    pub fn eval(&mut self, state: &Values, expr: ExprId) -> Option<Constant> {
        let code = self.compiler.value(&self.cfa.program, expr);
        self.run(state, &code)
    }

    fn run(&mut self, state: &Values, code: &Code) -> Option<Constant> {
        let (program, types) = (&self.cfa.program, &self.cfa.program.types);
        self.stack.clear();
        for &instr in code.iter() {
            let result = match instr {
                Instr::Push(constant) => Some(constant),
                Instr::Variable(var) => Some(Constant::Address { var, offset: 0 }),
                Instr::Lose(count) => {
                    self.stack.truncate(self.stack.len().saturating_sub(count as usize));
                    None
                }
                Instr::Advance(bytes) => self.pop().and_then(|at| match at {
                    Constant::Address { var, offset } => {
                        Some(Constant::Address { var, offset: offset.checked_add(bytes)? })
                    }
                    _ => None,
                }),
                Instr::Index { index: ty, stride } => {
                    let (index, at) = (self.pop(), self.pop());
                    match (at, self.number(ty, index)) {
                        (Some(at @ Constant::Address { .. }), Some(index)) => {
                            constant::moved(types, ty, at, index, stride)
                        }
                        _ => None,
                    }
                }
                Instr::Keep => self.pop().filter(|&at| self.is_unique(at)),
                Instr::Load { ty, bits } => match self.pop() {
                    Some(Constant::Address { var, offset }) => self.load(state, (var, offset), ty, bits),
                    _ => None,
                },
                Instr::Unary(op, ty) => self.pop().and_then(|a| constant::unary(types, op, ty, a)),
                Instr::Cast(from, to) => self.pop().and_then(|a| constant::cast(program, from, to, a)),
                Instr::Binary(op, left, right) => {
                    let (b, a) = (self.pop(), self.pop());
                    a.zip(b).and_then(|operands| constant::binary(program, op, (left, right), operands))
                }
                Instr::Move { ty, index: index_ty, stride, is_back } => {
                    let (index, pointer) = (self.pop(), self.pop());
                    let by = self.number(index_ty, index).map(|index| if is_back { -index } else { index });
                    pointer.zip(by).and_then(|(pointer, by)| constant::moved(types, ty, pointer, by, stride))
                }
                Instr::Difference { ty, stride } => {
                    let (b, a) = (self.pop(), self.pop());
                    a.zip(b).and_then(|(a, b)| constant::difference(types, ty, a, b, stride))
                }
            };
            self.stack.push(result);
        }
        self.pop()
    }

    fn pop(&mut self) -> Option<Constant> {
        self.stack.pop().flatten()
    }

    fn number(&self, ty: summa_c::types::TypeId, value: Option<Constant>) -> Option<i128> {
        match value {
            Some(Constant::Int(bits)) => constant::number(&self.cfa.program.types, ty, bits),
            _ => None,
        }
    }

    /// Does the address name one object? The variables of a recursive function are many.
    fn is_unique(&self, address: Constant) -> bool {
        let Constant::Address { var, .. } = address else { return true };
        let frame = self.cfa.program.vars[var].kind.frame();
        !frame.is_some_and(|function| self.facts.calls.is_recursive(function))
    }

    fn load(
        &mut self,
        state: &Values,
        (var, offset): (VarId, i64),
        ty: summa_c::types::TypeId,
        bits: Option<(u32, u32)>,
    ) -> Option<Constant> {
        let types = &self.cfa.program.types;
        let at = 8 * u64::try_from(offset).ok()?;
        match bits {
            None => {
                let found = self.peek(state, var, at, width(types, ty)?)?;
                constant::as_type(types, ty, found)
            }
            Some((shift, width)) => {
                let found = self.peek(state, var, at + u64::from(shift), width)?.bits()?;
                let value = arith::wrap_to(width, types.is_signed(ty), found as i128);
                constant::of_number(types, ty, value)
            }
        }
    }

    /// The bits of a variable, where they are in one cell that is known.
    pub fn peek(&mut self, state: &Values, var: VarId, at: u64, width: u32) -> Option<Constant> {
        if let Some(bytes) = self.cells.literal(var) {
            let (start, len) = (usize::try_from(at / 8).ok()?, (width / 8) as usize);
            let found = bytes
                .get(start..start.checked_add(len)?)
                .filter(|_| at.is_multiple_of(8) && width.is_multiple_of(8))?;
            let number = found.iter().rev().fold(0u128, |number, &byte| number << 8 | u128::from(byte));
            return Some(Constant::Int(number));
        }
        let mut cells = self.cells.overlapping(var, at, width.into());
        let (cell, None) = (cells.next()?, cells.next()) else { return None };
        self.reads.push(cell);
        let value = state.get(cell)?;
        let whole = self.cells.get(cell);
        if whole.at == at && whole.width == width {
            return Some(value);
        }
        // A part of the cell, and nothing beyond it.
        let shift = u32::try_from(at.checked_sub(whole.at)?).ok()?;
        if shift + width > whole.width {
            return None;
        }
        Some(Constant::Int(constant::low(width, (value.bits()? >> shift) as i128)))
    }

    // ---- places ----

    /// The variable and the byte in it where the place begins.
    pub fn address(&mut self, state: &Values, place: PlaceId) -> Option<(VarId, u64)> {
        let code = self.compiler.address(&self.cfa.program, place);
        match self.run(state, &code)? {
            Constant::Address { var, offset } => Some((var, u64::try_from(offset).ok()?)),
            _ => None,
        }
    }

    pub fn spot(&mut self, state: &Values, place: PlaceId) -> Spot {
        let program = &self.cfa.program;
        let types = &program.types;
        let bits = program.bit_field(place);
        let ty = program.exprs.place(place).ty;
        let size = match bits {
            Some(bits) => Some(u64::from(bits.width)),
            None => width(types, ty).map(u64::from).or_else(|| types.size_of(ty).map(|size| 8 * size)),
        };
        if let (Some((var, byte)), Some(width)) = (self.address(state, place), size) {
            let at = 8 * byte + bits.map_or(0, |bits| bits.offset % 8);
            // Outside of the variable nothing is known about where it is.
            let object = types.size_of(program.vars[var].ty).map_or(0, |size| 8 * size);
            return if at + width <= object { Spot::Exact { var, at, width } } else { Spot::Unknown };
        }
        // The smallest part around it that is known and that it cannot leave.
        let (mut part, mut stays) = (place, true);
        while let PlaceKind::Field(inner, _) | PlaceKind::Index(inner, _) = program.exprs.place(part).kind {
            if let PlaceKind::Index(_, index) = program.exprs.place(part).kind {
                stays &= stays_in_member(self.cfa, inner, index);
            }
            part = inner;
            if let Some((var, byte)) = self.address(state, part) {
                let size = if stays { types.size_of(program.exprs.place(part).ty) } else { None };
                if let Some(size) = size {
                    return Spot::Within { var, at: 8 * byte, width: 8 * size };
                }
                // The access does not leave the object.
                let is_object =
                    |part| matches!(program.exprs.place(part).kind, PlaceKind::Var(_) | PlaceKind::Deref(_));
                if is_object(part)
                    && let Some(size) = types.size_of(program.vars[var].ty)
                {
                    return Spot::Within { var, at: 0, width: 8 * size };
                }
            }
        }
        Spot::Unknown
    }
}
