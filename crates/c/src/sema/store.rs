//! Initialisers, second half: a [`Plan`] becomes assignments (automatic objects) or a list of constants
//! (static ones), and compound literals become variables.
//!
//! An automatic object that its initialiser covers only in part is zeroed first; then zeros are not assigned
//! again. Padding of fully initialised objects keeps indeterminate bytes.

use super::declare::unsupported_reason;
use super::plan::{Plan, Source, Step};
use super::{Lowered, Sema};
use crate::tree::{ExprId, ExprKind, PlaceId, PlaceKind, StmtKind, VarId, VarKind, Variable};
use crate::types::{ArrayLen, Field, Type, TypeId};
use summa_syntax::Span;
use summa_syntax::ast;

/// How deep the values of `const` variables are searched for in a static initialiser.
const MAX_CONSTANT_DEPTH: u32 = 500;

impl<'a> Sema<'a> {
    /// Emits the initialisation of an automatic object.
    pub(crate) fn store_plan(&mut self, place: PlaceId, plan: &Plan, span: Span) -> Lowered<()> {
        let entries = plan.in_order();
        let covered: u128 =
            entries.iter().map(|(path, entry)| self.entry_bits(plan.ty, path, entry.ty)).sum();
        let is_zeroed = covered < self.value_bits(plan.ty);
        if is_zeroed {
            self.emit(span, StmtKind::Zero(place));
        }
        let mut i = 0;
        while i < entries.len() {
            let (_, entry) = entries[i];
            let copies = entries[i..].iter().take_while(|(_, e)| e.source == entry.source).count();
            let (mut value, span) = self.source_value(plan.sources[entry.source], entry.ty)?;
            if copies > 1 && !self.is_constant(value) {
                value = self.save(value, span);
            }
            if !(is_zeroed && self.is_zero(value)) {
                for (path, _) in &entries[i..i + copies] {
                    let target = self.subobject(place, path)?;
                    self.emit(span, StmtKind::Assign(target, value));
                }
            }
            i += copies;
        }
        Ok(())
    }

    /// Gives a variable with static storage its initial value, and its type the length found.
    pub(crate) fn static_initializer(&mut self, var: VarId, init: ast::InitId) -> Lowered<()> {
        let plan = self.plan_initializer(self.vars[var].ty, init)?;
        self.vars[var].ty = plan.ty;
        let place = self.exprs.var(var, plan.ty);
        self.vars[var].init = self.static_values(place, &plan)?;
        Ok(())
    }

    /// The values to write over the zeroed object; zeros are left out.
    fn static_values(&mut self, place: PlaceId, plan: &Plan) -> Lowered<Vec<(PlaceId, ExprId)>> {
        let mut values = Vec::new();
        let mut last: Option<(usize, ExprId)> = None;
        for (path, entry) in plan.in_order() {
            let value = match last {
                Some((source, value)) if source == entry.source => value,
                _ => self.static_value(plan.sources[entry.source], entry.ty)?,
            };
            last = Some((entry.source, value));
            if !self.is_zero(value) {
                values.push((self.subobject(place, path)?, value));
            }
        }
        Ok(values)
    }

    /// A value known before the program starts.
    fn static_value(&mut self, source: Source, ty: TypeId) -> Lowered<ExprId> {
        let (lowered, stmts) = self.collect(|s| s.source_value(source, ty));
        if let Some(why) = unsupported_reason(&stmts) {
            return self.unsupported(self.source_span(source), why);
        }
        let (value, span) = lowered?;
        if stmts.is_empty() {
            if let Some(n) = self.fold_int(value) {
                return Ok(self.int(self.exprs.type_of(value), n));
            }
            if let Some(value) = self.with_const_values(value, MAX_CONSTANT_DEPTH) {
                return Ok(value);
            }
        }
        self.error(span, "the initial value of a static object must be constant")
    }

    fn source_span(&self, source: Source) -> Span {
        match source {
            Source::Expr(expr) => self.ast.exprs[expr].span,
            Source::Unit(_, span) => span,
        }
    }

    fn source_value(&mut self, source: Source, ty: TypeId) -> Lowered<(ExprId, Span)> {
        let span = self.source_span(source);
        let value = match source {
            Source::Expr(expr) => {
                let value = self.rvalue(expr)?;
                self.convert(value, ty, span)?
            }
            Source::Unit(unit, _) => self.int(ty, i128::from(unit)),
        };
        Ok((value, span))
    }

    /// The expression without loads: reads of initialised `const` variables replaced by their values (as gcc
    /// does). None if it reads anything else.
    fn with_const_values(&mut self, expr: ExprId, depth: u32) -> Option<ExprId> {
        let depth = depth.checked_sub(1)?;
        let ty = self.exprs.type_of(expr);
        let kind = match self.exprs.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => return Some(expr),
            ExprKind::Addr(place) => return self.is_constant_place(place).then_some(expr),
            ExprKind::Load(place) => return self.const_value(place),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.with_const_values(a, depth)?),
            ExprKind::Cast(a) => ExprKind::Cast(self.with_const_values(a, depth)?),
            ExprKind::Binary(op, a, b) => {
                ExprKind::Binary(op, self.with_const_values(a, depth)?, self.with_const_values(b, depth)?)
            }
        };
        Some(self.make(kind, ty, Span::NONE))
    }

    /// Is the address of this place known before the program starts?
    fn is_constant_place(&self, mut place: PlaceId) -> bool {
        loop {
            match self.exprs.place(place).kind {
                PlaceKind::Var(var) => return self.vars[var].kind.is_static(),
                PlaceKind::Deref(pointer) => match self.exprs.expr(pointer).kind {
                    ExprKind::Addr(base) => place = base,
                    ExprKind::Cast(inner) => match self.exprs.expr(inner).kind {
                        ExprKind::Addr(base) => place = base,
                        _ => return self.is_constant(pointer),
                    },
                    _ => return self.is_constant(pointer),
                },
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, index) => {
                    if self.fold_int(index).is_none() {
                        return false;
                    }
                    place = base;
                }
            }
        }
    }

    /// No reads of memory anywhere in the expression.
    fn is_constant(&self, expr: ExprId) -> bool {
        let mut todo = vec![expr];
        while let Some(expr) = todo.pop() {
            match self.exprs.expr(expr).kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                ExprKind::Load(_) => return false,
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => todo.push(a),
                ExprKind::Binary(_, a, b) => todo.extend([a, b]),
                ExprKind::Addr(mut place) => loop {
                    match self.exprs.place(place).kind {
                        PlaceKind::Var(var) if self.vars[var].kind.is_static() => break,
                        PlaceKind::Var(_) => return false,
                        PlaceKind::Deref(pointer) => {
                            todo.push(pointer);
                            break;
                        }
                        PlaceKind::Field(base, _) => place = base,
                        PlaceKind::Index(base, index) => {
                            todo.push(index);
                            place = base;
                        }
                    }
                },
            }
        }
        true
    }

    /// The value of a scalar in an initialised `const` variable that nothing can change.
    fn const_value(&mut self, place: PlaceId) -> Option<ExprId> {
        let var = self.exprs.root(place)?;
        let variable = &self.vars[var];
        let is_initialized = variable.kind == VarKind::Global && self.declared.initialized.contains(var)
            || matches!(variable.kind, VarKind::Static(_));
        let is_plain = variable.is_const && !variable.is_volatile && is_initialized;
        let ty = self.exprs.place(place).ty;
        if !is_plain || !self.types.is_scalar(ty) {
            return None;
        }
        if let Some((_, value)) = variable.init.iter().find(|(initialized, _)| *initialized == place) {
            return Some(*value);
        }
        // Not mentioned: zero, unless a record that contains it was copied as a whole.
        let is_scalar_init = variable.init.iter().all(|(_, v)| self.types.is_scalar(self.exprs.type_of(*v)));
        (is_scalar_init && self.types.is_integer(ty) && self.is_constant_place(place))
            .then(|| self.int(ty, 0))
    }

    fn is_zero(&self, value: ExprId) -> bool {
        matches!(self.exprs.expr(value).kind, ExprKind::Int(0) | ExprKind::Float(0))
    }

    fn subobject(&mut self, mut place: PlaceId, path: &[Step]) -> Lowered<PlaceId> {
        for &step in path {
            let ty = self.exprs.place(place).ty;
            place = match (step, self.types.get(ty)) {
                (Step::Field(index), Type::Record(record)) => {
                    let Some(Field { ty, .. }) = self.types.record(*record).fields.get(index as usize) else {
                        return Err(super::Stop);
                    };
                    self.exprs.intern_place(PlaceKind::Field(place, index), *ty)
                }
                (Step::Index(index), Type::Array(element, _)) => {
                    let element = *element;
                    let index = self.int(self.types.ptrdiff_t, i128::from(index));
                    self.exprs.intern_place(PlaceKind::Index(place, index), element)
                }
                _ => return Err(super::Stop),
            };
        }
        Ok(place)
    }

    // ---- how much of an object is initialised ----

    /// Bits of an object that hold values: all but padding. Of a union, those of its largest member.
    fn value_bits(&self, ty: TypeId) -> u128 {
        match *self.types.get(ty) {
            Type::Array(element, ArrayLen::Fixed(n)) => {
                self.value_bits(element).saturating_mul(u128::from(n))
            }
            Type::Array(..) => 0,
            Type::Record(record) => {
                let record = self.types.record(record);
                let bits = record.fields.iter().map(|field| self.field_bits(field));
                if record.is_union { bits.max().unwrap_or(0) } else { bits.sum() }
            }
            _ => 8 * u128::from(self.types.size_of(ty).unwrap_or(0)),
        }
    }

    fn field_bits(&self, field: &Field) -> u128 {
        field.bits.map_or_else(|| self.value_bits(field.ty), |bits| u128::from(bits.width))
    }

    /// Bits that one entry gives values to.
    fn entry_bits(&self, object: TypeId, path: &[Step], ty: TypeId) -> u128 {
        // Only the last step can lead to a bit-field; walk there to see it.
        let mut at = object;
        let mut field = None;
        for step in path {
            field = match (step, self.types.get(at)) {
                (Step::Field(index), Type::Record(record)) => {
                    self.types.record(*record).fields.get(*index as usize)
                }
                _ => None,
            };
            at = match (field, self.types.get(at)) {
                (Some(field), _) => field.ty,
                (None, Type::Array(element, _)) => *element,
                _ => return 0,
            };
        }
        field.map_or_else(|| self.value_bits(ty), |field| self.field_bits(field))
    }

    // ---- compound literals ----

    /// `(T){ … }`: in a function a local of the enclosing block, outside a global.
    pub(crate) fn compound_literal(&mut self, name: ast::TypeNameId, init: ast::InitId) -> Lowered<PlaceId> {
        let span = self.ast.type_names[name].span;
        let ty = self.type_name_type(name)?;
        let plan = self.plan_initializer(ty, init)?;
        if !self.is_complete(plan.ty) {
            let ty = self.type_name(plan.ty);
            return self.error(span, format!("a literal cannot have the incomplete type `{ty}`"));
        }
        self.declared.compound_literals += 1;
        let name = self.names.intern(&format!("__literal{}", self.declared.compound_literals));
        let kind = self.function.as_ref().map_or(VarKind::Global, |context| VarKind::Local(context.id));
        let var = self.vars.push(Variable::new(name, plan.ty, kind, span));
        let place = self.exprs.var(var, plan.ty);
        if kind == VarKind::Global {
            self.vars[var].init = self.static_values(place, &plan)?;
        } else {
            self.emit(span, StmtKind::Declare(var));
            self.store_plan(place, &plan, span)?;
        }
        Ok(place)
    }
}
