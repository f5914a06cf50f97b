//! Places: dereference, subscript, members; and keeping values and places as they were before later effects.

use super::convert::Operand;
use super::types::ATOMIC;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Stmt, StmtKind, VarKind};
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    /// What a pointer points to.
    pub(crate) fn deref(&mut self, pointer: ExprId, span: Span) -> Lowered<PlaceId> {
        let ty = self.exprs.type_of(pointer);
        let Some(target) = self.types.pointee(ty) else {
            let name = self.type_name(ty);
            return self.error(span, format!("`{name}` is not a pointer"));
        };
        // `*&place` is the place; `*(&a[0] + i)` is `a[i]`.
        match self.exprs.expr(pointer).kind {
            ExprKind::Addr(place) => return Ok(place),
            ExprKind::Binary(BinaryOp::PtrAdd, base, index) => {
                if let ExprKind::Addr(first) = self.exprs.expr(base).kind
                    && let PlaceKind::Index(array, zero) = self.exprs.place(first).kind
                    && self.exprs.as_int(zero) == Some(0)
                {
                    return Ok(self.exprs.intern_place(PlaceKind::Index(array, index), target));
                }
            }
            _ => {}
        }
        Ok(self.exprs.intern_place(PlaceKind::Deref(pointer), target))
    }

    pub(crate) fn subscript(
        &mut self,
        base: ast::ExprId,
        index: ast::ExprId,
        span: Span,
    ) -> Lowered<Operand> {
        let left = self.rvalue(base)?;
        let mark = self.out.len();
        let right = self.rvalue(index)?;
        let left = self.save_before(left, mark, span);
        let left_is_pointer = self.types.is_pointer(self.exprs.type_of(left));
        let (pointer, index) = if left_is_pointer { (left, right) } else { (right, left) };
        let moved = self.pointer_step(BinaryOp::PtrAdd, pointer, index, span)?;
        let place = self.deref(moved, span)?;
        Ok(Operand::Place(place))
    }

    /// A record as a place, so that its members can be reached.
    pub(crate) fn record_place(&mut self, operand: Operand, span: Span) -> Lowered<PlaceId> {
        match operand {
            Operand::Place(place) => Ok(place),
            Operand::Value(value) => match self.exprs.expr(value).kind {
                ExprKind::Load(place) => Ok(place),
                _ => {
                    let name = self.type_name(self.exprs.type_of(value));
                    self.error(span, format!("a value of type `{name}` has no members"))
                }
            },
            Operand::Function(_) | Operand::Void => self.error(span, "this has no members"),
        }
    }

    pub(crate) fn member(&mut self, base: PlaceId, name: Symbol, span: Span) -> Lowered<Operand> {
        let ty = self.exprs.place(base).ty;
        let path = self.types.record_of(ty).and_then(|record| self.types.find_field(record, name));
        match path {
            Some(path) => {
                let place = self.field_place(base, &path);
                if self.is_atomic_member(place) {
                    self.assume(span, ATOMIC);
                }
                Ok(Operand::Place(place))
            }
            None => {
                let (ty, name) = (self.type_name(ty), self.text(name));
                self.error(span, format!("`{ty}` has no member `{name}`"))
            }
        }
    }

    fn is_atomic_member(&self, place: PlaceId) -> bool {
        let PlaceKind::Field(base, field) = self.exprs.place(place).kind else { return false };
        let record = self.types.record_of(self.exprs.place(base).ty);
        let field = record.and_then(|record| self.types.record(record).fields.get(field as usize));
        field.is_some_and(|field| field.is_atomic)
    }

    /// The place reached from `base` through these fields.
    pub(crate) fn field_place(&mut self, base: PlaceId, path: &[u32]) -> PlaceId {
        path.iter().fold(base, |place, &field| {
            let ty = self.exprs.place(place).ty;
            match self.types.record_of(ty).and_then(|r| self.types.record(r).fields.get(field as usize)) {
                Some(f) => {
                    let ty = f.ty;
                    self.exprs.intern_place(PlaceKind::Field(place, field), ty)
                }
                None => place,
            }
        })
    }

    /// `value`, saved in a temporary at position `mark` of the statement list if what was emitted since may
    /// change it.
    pub(crate) fn save_before(&mut self, value: ExprId, mark: usize, span: Span) -> ExprId {
        if !writes_beyond_temps(self, &self.out[mark..]) || !self.reads_memory(value) {
            return value;
        }
        let temp = self.new_temp(self.exprs.type_of(value), span);
        self.out.insert(mark, Stmt { kind: StmtKind::Assign(temp, value), span });
        self.exprs.load(temp)
    }

    /// The place with everything in it that a statement since `mark` may change saved in temporaries.
    pub(crate) fn save_place_before(&mut self, place: PlaceId, mark: usize, span: Span) -> PlaceId {
        let ty = self.exprs.place(place).ty;
        match self.exprs.place(place).kind {
            PlaceKind::Var(_) => place,
            PlaceKind::Deref(pointer) => {
                let pointer = match self.leads_into_variable(pointer) {
                    true => self.save_indices_before(pointer, mark, span),
                    false => self.save_before(pointer, mark, span),
                };
                self.exprs.intern_place(PlaceKind::Deref(pointer), ty)
            }
            PlaceKind::Field(base, field) => {
                let base = self.save_place_before(base, mark, span);
                self.exprs.intern_place(PlaceKind::Field(base, field), ty)
            }
            PlaceKind::Index(base, index) => {
                let base = self.save_place_before(base, mark, span);
                let index = self.save_before(index, mark, span);
                self.exprs.intern_place(PlaceKind::Index(base, index), ty)
            }
        }
    }

    /// The same for a pointer into a variable, such as one to a row of variable length. Only its displacement
    /// is saved, so that its target stays visible.
    fn save_indices_before(&mut self, value: ExprId, mark: usize, span: Span) -> ExprId {
        let ty = self.exprs.type_of(value);
        match self.exprs.expr(value).kind {
            ExprKind::Cast(inner) if self.types.is_pointer(ty) => {
                let inner = self.save_indices_before(inner, mark, span);
                self.exprs.intern(ExprKind::Cast(inner), ty)
            }
            ExprKind::Binary(op @ (BinaryOp::PtrAdd | BinaryOp::Mul), a, b) => {
                let [a, b] = [a, b].map(|part| self.save_indices_before(part, mark, span));
                self.exprs.intern(ExprKind::Binary(op, a, b), ty)
            }
            _ => self.save_before(value, mark, span),
        }
    }

    /// Is the pointer made from the address of a variable?
    fn leads_into_variable(&self, mut pointer: ExprId) -> bool {
        loop {
            match self.exprs.expr(pointer).kind {
                ExprKind::Cast(inner) => pointer = inner,
                ExprKind::Binary(BinaryOp::PtrAdd, base, _) => pointer = base,
                ExprKind::Addr(place) => return matches!(self.exprs.place(place).kind, PlaceKind::Var(_)),
                _ => return false,
            }
        }
    }

    /// Does the value depend on anything but constants, addresses of variables and temporaries?
    fn reads_memory(&self, expr: ExprId) -> bool {
        match self.exprs.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => false,
            ExprKind::Load(place) => match self.exprs.place(place).kind {
                PlaceKind::Var(var) => !matches!(self.vars[var].kind, VarKind::Temp(_)),
                _ => true,
            },
            ExprKind::Addr(place) => self.place_reads_memory(place),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.reads_memory(a),
            ExprKind::Binary(_, a, b) => self.reads_memory(a) || self.reads_memory(b),
        }
    }

    fn place_reads_memory(&self, place: PlaceId) -> bool {
        match self.exprs.place(place).kind {
            PlaceKind::Var(_) => false,
            PlaceKind::Deref(pointer) => self.reads_memory(pointer),
            PlaceKind::Field(base, _) => self.place_reads_memory(base),
            PlaceKind::Index(base, index) => self.place_reads_memory(base) || self.reads_memory(index),
        }
    }
}

/// May these statements change anything but temporaries?
fn writes_beyond_temps(sema: &Sema<'_>, stmts: &[Stmt]) -> bool {
    let is_temp = |place: PlaceId| {
        matches!(sema.exprs.place(place).kind,
            PlaceKind::Var(var) if matches!(sema.vars[var].kind, VarKind::Temp(_)))
    };
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assign(place, _) | StmtKind::Zero(place) => !is_temp(*place),
        StmtKind::ReadVolatile { .. } => false,
        StmtKind::If { then, otherwise, .. } => {
            writes_beyond_temps(sema, then) || writes_beyond_temps(sema, otherwise)
        }
        StmtKind::Loop(body) | StmtKind::Block(body) => writes_beyond_temps(sema, body),
        StmtKind::Label(_) | StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Unsupported(_) => false,
        StmtKind::Declare(_) => false,
        StmtKind::Havoc(..) | StmtKind::Call(_) => true,
    })
}
