//! Types from specifiers and declarators.
//!
//! The alignment that a typedef gives to its name, and qualifiers, travel beside the type ([`Aligned`]):
//! types are interned and know only their natural alignment, and qualifiers are facts about variables,
//! members, and what a pointer points to. The length of a variable-length array is computed where its
//! declarator stands and kept in a variable of its own.

use super::scope::Binding;
use super::{Lowered, Sema};
use crate::tree::{BinaryOp, ExprId, ExprKind, StmtKind, VarId};
use crate::types::{ArrayLen, DataModel, Field, FloatKind, FunctionType, IntKind, Type, TypeId};
use summa_syntax::Span;
use summa_syntax::ast::{self, ArraySize, BuiltinType, DeclSpecs, Declarator, Derived, Quals, TypeSpec};

/// The assumption about atomic objects.
pub(crate) const ATOMIC: &str = "atomic objects behave like ordinary memory: there is one thread";

/// Types nested deeper are refused, so that code that walks a type may recurse.
const MAX_TYPE_DEPTH: u16 = 250;

/// A type, the alignment that a typedef with `aligned(n)` gives it (larger or smaller than the natural one),
/// and the qualifiers of an object of this type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aligned {
    pub(crate) ty: TypeId,
    pub(crate) align: Option<u64>,
    pub(crate) quals: Qualified,
}

/// The qualifiers that mean something to executions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Qualified {
    pub(crate) is_volatile: bool,
    pub(crate) is_atomic: bool,
}

impl Qualified {
    pub(crate) fn and(self, quals: Quals) -> Self {
        Self {
            is_volatile: self.is_volatile || quals.is_volatile,
            is_atomic: self.is_atomic || quals.is_atomic,
        }
    }
}

/// Where a declarator stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    /// In a declaration or type name: lengths of arrays are evaluated.
    Ordinary,
    /// In the parameter list of a prototype: lengths that are not constant are of no interest.
    Prototype,
}

impl<'a> Sema<'a> {
    pub(crate) fn type_name_type(&mut self, id: ast::TypeNameId) -> Lowered<TypeId> {
        Ok(self.type_name_aligned(id)?.ty)
    }

    /// The type that a type name stands for, with the alignment of its typedef.
    pub(crate) fn type_name_aligned(&mut self, id: ast::TypeNameId) -> Lowered<Aligned> {
        let ast = self.ast;
        let name = &ast.type_names[id];
        let base = self.specs_aligned(&name.specs)?;
        self.declared_type(base, &name.declarator, Context::Ordinary)
    }

    /// The type that specifiers stand for. To be called once per declaration: it defines tags.
    pub(crate) fn specs_aligned(&mut self, specs: &DeclSpecs) -> Lowered<Aligned> {
        self.note_atomic(specs.quals, specs.span);
        let (mut align, mut quals) = (None, Qualified::default());
        let ty = match specs.ty {
            TypeSpec::Missing => {
                self.warn(specs.span, "no type given: `int` is assumed");
                self.types.int
            }
            TypeSpec::Builtin(builtin) => self.builtin_type(builtin, specs.span)?,
            TypeSpec::Record(id) => self.record_type(id, false)?,
            TypeSpec::Enum(id) => self.enum_type(id, false)?,
            TypeSpec::Typedef(name) => {
                align = self.scopes.typedef_align(name);
                quals = self.scopes.typedef_quals(name);
                match self.scopes.lookup(name).cloned() {
                    Some(Binding::Typedef(ty)) => ty,
                    Some(Binding::Unsupported(why)) => return self.unsupported(specs.span, why),
                    _ => {
                        let name = self.text(name);
                        return self.error(specs.span, format!("`{name}` is not a type"));
                    }
                }
            }
            TypeSpec::TypeofExpr(expr) => self.type_of_unevaluated(expr)?,
            TypeSpec::TypeofType(name) => self.type_name_type(name)?,
            TypeSpec::Atomic(name) => {
                let atomic = Quals { is_atomic: true, ..Quals::default() };
                self.note_atomic(atomic, specs.span);
                quals = quals.and(atomic);
                self.type_name_type(name)?
            }
            TypeSpec::Auto => {
                return self.error(specs.span, "`__auto_type` is for a single variable with an initialiser");
            }
        };
        let ty = self.attributed_type(ty, &specs.attributes)?;
        Ok(Aligned { ty, align, quals: quals.and(specs.quals) })
    }

    /// Objects with static storage and members are spoken of where they are used.
    fn note_atomic(&mut self, quals: Quals, span: Span) {
        if quals.is_atomic && self.function.is_some() {
            self.assume(span, ATOMIC);
        }
    }

    fn builtin_type(&mut self, builtin: BuiltinType, span: Span) -> Lowered<TypeId> {
        use BuiltinType as B;
        let kind = match builtin {
            B::Void => return Ok(self.types.void),
            B::Complex => return self.unsupported(span, "complex numbers"),
            B::OtherFloat => return self.unsupported(span, "half-precision or decimal floating types"),
            B::VaList => return Ok(self.va_list_type()),
            B::Float => return Ok(self.types.float),
            B::Double => return Ok(self.types.double),
            B::LongDouble => return Ok(self.types.long_double),
            B::Float128 => return Ok(self.types.intern(Type::Float(FloatKind::Float128))),
            B::Bool => IntKind::Bool,
            B::Char => return Ok(self.types.char),
            B::SignedChar => IntKind::SignedChar,
            B::UnsignedChar => IntKind::UnsignedChar,
            B::Short => IntKind::Short,
            B::UnsignedShort => IntKind::UnsignedShort,
            B::Int => IntKind::Int,
            B::UnsignedInt => IntKind::UnsignedInt,
            B::Long => IntKind::Long,
            B::UnsignedLong => IntKind::UnsignedLong,
            B::LongLong => IntKind::LongLong,
            B::UnsignedLongLong => IntKind::UnsignedLongLong,
            B::Int128 => IntKind::Int128,
            B::UnsignedInt128 => IntKind::UnsignedInt128,
        };
        Ok(self.types.int_type(kind))
    }

    /// `__builtin_va_list` as the ABI has it: one element of a struct on x86-64, a pointer on i386.
    fn va_list_type(&mut self) -> TypeId {
        if self.types.model == DataModel::Ilp32 {
            return self.types.char_ptr;
        }
        if let Some(ty) = self.declared.va_list {
            return ty;
        }
        let tag = self.names.intern("__va_list_tag");
        let (record, ty) = self.types.new_record(Some(tag), false, Span::NONE);
        let (word, pointer) = (self.types.unsigned_int, self.types.void_ptr);
        let members = [
            ("gp_offset", word, 0),
            ("fp_offset", word, 4),
            ("overflow_arg_area", pointer, 8),
            ("reg_save_area", pointer, 16),
        ];
        let fields = members.map(|(name, ty, offset)| Field {
            name: Some(self.names.intern(name)),
            ty,
            offset,
            align: self.types.align_of(ty),
            bits: None,
            is_volatile: false,
            is_atomic: false,
        });
        let record = self.types.record_mut(record);
        (record.fields, record.size, record.align, record.is_complete) = (fields.to_vec(), 24, 8, true);
        let ty = self.types.array_of(ty, ArrayLen::Fixed(1));
        self.declared.va_list = Some(ty);
        ty
    }

    // ---- declarators ----

    /// The type of what is declared, from the specifiers' type.
    pub(crate) fn declared_type(
        &mut self,
        base: Aligned,
        d: &Declarator,
        context: Context,
    ) -> Lowered<Aligned> {
        let base_ty = self.attributed_type(base.ty, &d.attributes)?;
        let base_ty = Aligned { ty: base_ty, ..base };
        let ty = self.declarator_type(base_ty, d, context)?;
        // An array has the alignment of its elements; a pointer or function has its own.
        let keeps_align = d.derived.iter().all(|derived| matches!(derived, Derived::Array { .. }));
        let quals = object_quals(base.quals, d);
        Ok(Aligned { ty, align: base.align.filter(|_| keeps_align), quals })
    }

    pub(crate) fn declarator_type(
        &mut self,
        base: Aligned,
        d: &Declarator,
        context: Context,
    ) -> Lowered<TypeId> {
        self.derive(base, &d.derived, d.span, context)
    }

    pub(crate) fn derive(
        &mut self,
        base: Aligned,
        derived: &[Derived],
        span: Span,
        context: Context,
    ) -> Lowered<TypeId> {
        let (mut ty, mut is_volatile) = (base.ty, base.quals.is_volatile);
        for part in derived {
            ty = match part {
                Derived::Pointer(quals) => {
                    self.note_atomic(*quals, span);
                    let target = if is_volatile { self.types.volatile(ty) } else { ty };
                    is_volatile = quals.is_volatile;
                    self.types.pointer_to(target)
                }
                Derived::Array { size, .. } => self.array_type(ty, *size, span, context)?,
                Derived::Function(function) => {
                    let params = self.prototype_params(function)?;
                    is_volatile = false;
                    self.function_type(ty, params, function, span)?
                }
            };
            self.limit_depth(ty, span)?;
        }
        Ok(ty)
    }

    /// A function type, after the checks that C makes on results.
    pub(crate) fn function_type(
        &mut self,
        result: TypeId,
        params: Vec<TypeId>,
        declarator: &ast::FunctionDeclarator,
        span: Span,
    ) -> Lowered<TypeId> {
        if matches!(self.types.get(result), Type::Array(..) | Type::Function(_)) {
            let name = self.type_name(result);
            return self.error(span, format!("a function cannot return `{name}`"));
        }
        let params = if declarator.is_prototype { params } else { Vec::new() };
        Ok(self.types.intern(Type::Function(FunctionType {
            result,
            params: params.into_boxed_slice(),
            is_variadic: declarator.is_variadic,
            is_prototype: declarator.is_prototype,
        })))
    }

    fn prototype_params(&mut self, function: &ast::FunctionDeclarator) -> Lowered<Vec<TypeId>> {
        self.scopes.push();
        let params = function.params.iter().map(|p| self.param_type(p, Context::Prototype)).collect();
        self.scopes.pop();
        params
    }

    /// The type of a parameter: arrays and functions become pointers (6.7.6.3p7).
    pub(crate) fn param_type(&mut self, param: &ast::Param, context: Context) -> Lowered<TypeId> {
        let base = self.specs_aligned(&param.specs)?;
        let base = Aligned { ty: self.attributed_type(base.ty, &param.declarator.attributes)?, ..base };
        let span = param.declarator.span;
        let ty = match param.declarator.derived.split_last() {
            Some((Derived::Array { size, .. }, inner)) => {
                let element = self.derive(base, inner, span, context)?;
                if let (ArraySize::Expr(size), Context::Ordinary) = (*size, context) {
                    // The length is of no interest, but its effects happen.
                    self.rvalue(size)?;
                }
                let is_volatile = qualified(base.quals, inner).is_volatile;
                let element = if is_volatile { self.types.volatile(element) } else { element };
                self.types.pointer_to(element)
            }
            _ => self.derive(base, &param.declarator.derived, span, context)?,
        };
        if self.types.is_void(ty) {
            return self.error(span, "a parameter cannot have type `void`");
        }
        Ok(self.adjusted(ty))
    }

    /// Arrays and functions as parameters are pointers.
    pub(crate) fn adjusted(&mut self, ty: TypeId) -> TypeId {
        match *self.types.get(ty) {
            Type::Array(element, _) => self.types.pointer_to(element),
            Type::Function(_) => self.types.pointer_to(ty),
            _ => ty,
        }
    }

    fn array_type(
        &mut self,
        element: TypeId,
        size: ArraySize,
        span: Span,
        context: Context,
    ) -> Lowered<TypeId> {
        if !self.is_complete(element) && context == Context::Ordinary {
            let name = self.type_name(element);
            return self.error(span, format!("array elements cannot have the incomplete type `{name}`"));
        }
        let len = match size {
            ArraySize::Unknown | ArraySize::Star => ArrayLen::Unknown,
            ArraySize::Expr(size) if context == Context::Prototype => self.prototype_length(size),
            ArraySize::Expr(size) => self.array_length(size)?,
        };
        let ty = self.types.array_of(element, len);
        let limit = if self.types.model == DataModel::Ilp32 { i32::MAX as u64 } else { i64::MAX as u64 };
        if matches!(len, ArrayLen::Fixed(_))
            && self.types.size_of(element).is_some()
            && self.types.size_of(ty).is_none_or(|size| size > limit)
        {
            return self.error(span, "this array is too large");
        }
        Ok(ty)
    }

    /// A length in a prototype may name other parameters, which do not exist yet: then it stays open.
    fn prototype_length(&mut self, size: ast::ExprId) -> ArrayLen {
        let said = self.diagnostics.len();
        let (length, _) = self.collect(|s| s.constant(size));
        self.diagnostics.truncate(said);
        match length.ok().and_then(|n| u64::try_from(n).ok()) {
            Some(n) => ArrayLen::Fixed(n),
            None => ArrayLen::Unknown,
        }
    }

    fn array_length(&mut self, size: ast::ExprId) -> Lowered<ArrayLen> {
        let span = self.ast.exprs[size].span;
        let (value, stmts) = self.collect(|s| s.rvalue(size));
        let constant = match &value {
            Ok(value) if stmts.is_empty() => self.wrapped_int(*value),
            _ => None,
        };
        self.out.extend(stmts);
        let value = value?;
        if let Some(n) = constant {
            return match u64::try_from(n) {
                Ok(n) => Ok(ArrayLen::Fixed(n)),
                Err(_) => self.error(span, format!("an array cannot have {n} elements")),
            };
        }
        if !self.types.is_integer(self.exprs.type_of(value)) {
            return self.error(span, "the length of an array must be an integer");
        }
        if self.function.is_none() {
            return self.error(span, "outside of functions the length of an array must be constant");
        }
        let length = self.convert(value, self.types.size_t, span)?;
        let variable = self.new_temp(self.types.size_t, span);
        self.emit(span, StmtKind::Assign(variable, length));
        match self.exprs.root(variable) {
            Some(variable) => Ok(ArrayLen::Variable(variable)),
            None => self.error(span, "the length of this array has no variable"),
        }
    }

    // ---- questions ----

    /// Can there be an object of this type?
    pub(crate) fn is_complete(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Void | Type::Function(_) | Type::Array(_, ArrayLen::Unknown) => false,
            Type::Int(_) | Type::Float(_) | Type::Pointer(_) => true,
            Type::Array(element, _) => self.is_complete(element),
            Type::Record(record) => self.types.record(record).is_complete,
        }
    }

    /// The variable that holds a length somewhere in an array type.
    pub(crate) fn variable_length(&self, ty: TypeId) -> Option<VarId> {
        match *self.types.get(ty) {
            Type::Array(_, ArrayLen::Variable(var)) => Some(var),
            Type::Array(element, _) => self.variable_length(element),
            Type::Pointer(target) => self.variable_length(target),
            _ => None,
        }
    }

    /// `sizeof` as an expression of type `size_t`: a constant, or computed from the lengths of a
    /// variable-length array. `void` and functions have size 1 (GNU).
    pub(crate) fn size_of_expr(&mut self, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let size_t = self.types.size_t;
        if let Some(size) = self.types.stride(ty) {
            return Ok(self.int(size_t, i128::from(size)));
        }
        let (element, count) = match *self.types.get(ty) {
            Type::Array(element, ArrayLen::Fixed(n)) => (element, self.int(size_t, i128::from(n))),
            Type::Array(element, ArrayLen::Variable(var)) => {
                let place = self.exprs.var(var, size_t);
                (element, self.make(ExprKind::Load(place), size_t, span))
            }
            _ => {
                let name = self.type_name(ty);
                return self.error(span, format!("`{name}` is incomplete: it has no size"));
            }
        };
        let size = self.size_of_expr(element, span)?;
        Ok(self.make(ExprKind::Binary(BinaryOp::Mul, count, size), size_t, span))
    }

    /// Refuses types that are nested too deeply to walk.
    pub(crate) fn limit_depth(&mut self, ty: TypeId, span: Span) -> Lowered<()> {
        let depths = &self.declared.type_depths;
        let below = match self.types.get(ty) {
            Type::Void | Type::Int(_) | Type::Float(_) => 0,
            Type::Pointer(inner) | Type::Array(inner, _) => depths[self.types.plain(*inner)],
            Type::Function(function) => {
                function.params.iter().map(|&p| depths[p]).fold(depths[function.result], u16::max)
            }
            Type::Record(record) => {
                self.types.record(*record).fields.iter().map(|f| depths[f.ty]).max().unwrap_or(0)
            }
        };
        if below >= MAX_TYPE_DEPTH {
            return self.error(
                span,
                format!("types nested more than {MAX_TYPE_DEPTH} levels deep are not supported"),
            );
        }
        self.declared.type_depths[ty] = below + 1;
        Ok(())
    }
}

/// The qualifiers of the object that is declared; an array's are those of its elements.
fn object_quals(base: Qualified, declarator: &Declarator) -> Qualified {
    qualified(base, &declarator.derived)
}

pub(crate) fn qualified(base: Qualified, derived: &[Derived]) -> Qualified {
    let decides = |derived: &&Derived| !matches!(derived, Derived::Array { .. });
    match derived.iter().rev().find(decides) {
        Some(Derived::Pointer(quals)) => Qualified::default().and(*quals),
        Some(_) => Qualified::default(),
        None => base,
    }
}
