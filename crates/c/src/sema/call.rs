//! Calls: arguments converted and evaluated left to right, the result in a variable.

use super::convert::Operand;
use super::scope::Binding;
use super::{Lowered, Sema};
use crate::tree::{Call, Callee, ExprId, ExprKind, FuncId, Function, PlaceId, PlaceKind, StmtKind};
use crate::types::{FunctionType, Type, TypeId};
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast;

/// Where the result of a call goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destination {
    Nowhere,
    Temporary,
    /// This whole variable, if it has the type of the result.
    Into(PlaceId),
}

/// The result of lowering `variable = call(…)`.
pub(crate) enum CallInto {
    /// The value was no call, or the target no plain variable: nothing has been done.
    NoCall,
    /// The call stored its result in the variable.
    Stored,
    /// The call happened; this is its value, still to be converted and stored.
    Value(ExprId),
}

impl Sema<'_> {
    /// A call as an expression; without `wanted` its result is dropped.
    pub(crate) fn call(
        &mut self,
        callee: ast::ExprId,
        args: &[ast::ExprId],
        span: Span,
        wanted: bool,
    ) -> Lowered<Operand> {
        let destination = if wanted { Destination::Temporary } else { Destination::Nowhere };
        self.call_to(callee, args, span, destination)
    }

    /// `target = value` where `value` is a call and `target` a variable: the call's result goes there
    /// directly.
    pub(crate) fn call_into(
        &mut self,
        target: PlaceId,
        op: Option<ast::BinaryOp>,
        value: ast::ExprId,
    ) -> Lowered<CallInto> {
        let ast = self.ast;
        let ast::Expr { kind: ast::ExprKind::Call { callee, args, .. }, span } = &ast.exprs[value] else {
            return Ok(CallInto::NoCall);
        };
        if op.is_some() || !matches!(self.exprs.place(target).kind, PlaceKind::Var(_)) {
            return Ok(CallInto::NoCall);
        }
        match self.call_to(*callee, args, *span, Destination::Into(target))? {
            Operand::Value(value) if self.exprs.expr(value).kind == ExprKind::Load(target) => {
                Ok(CallInto::Stored)
            }
            operand => Ok(CallInto::Value(self.value_of(operand, *span)?)),
        }
    }

    fn call_to(
        &mut self,
        callee: ast::ExprId,
        args: &[ast::ExprId],
        span: Span,
        destination: Destination,
    ) -> Lowered<Operand> {
        if let ast::ExprKind::Ident(name) = self.ast.exprs[callee].kind {
            let binding = self.scopes.lookup(name).cloned();
            let function = match binding {
                Some(Binding::Function(function)) => Some(function),
                None => None,
                Some(_) => return self.call_pointer(callee, args, span, destination),
            };
            if function.is_none_or(|f| self.functions[f].body.is_none())
                && let Some(result) = self.builtin(name, args, span)?
            {
                return Ok(result);
            }
            let function = match function {
                Some(function) => function,
                None => self.declare_implicitly(name, span),
            };
            return self.finish_call(Callee::Direct(function), args, span, destination);
        }
        self.call_pointer(callee, args, span, destination)
    }

    fn call_pointer(
        &mut self,
        callee: ast::ExprId,
        args: &[ast::ExprId],
        span: Span,
        destination: Destination,
    ) -> Lowered<Operand> {
        let pointer = self.rvalue(callee)?;
        let callee = match self.exprs.expr(pointer).kind {
            ExprKind::Function(function) => Callee::Direct(function),
            _ => Callee::Pointer(pointer),
        };
        self.finish_call(callee, args, span, destination)
    }

    fn finish_call(
        &mut self,
        callee: Callee,
        args: &[ast::ExprId],
        span: Span,
        destination: Destination,
    ) -> Lowered<Operand> {
        let ty = match callee {
            Callee::Direct(function) => self.functions[function].ty,
            Callee::Pointer(pointer) => self.exprs.type_of(pointer),
        };
        let Some(function) = self.callee_type(ty) else {
            let name = self.type_name(ty);
            return self.error(span, format!("`{name}` is not a function and cannot be called"));
        };
        let mark = self.out.len();
        let values = self.arguments(args, &function, span)?;
        let callee = match callee {
            Callee::Pointer(pointer) => Callee::Pointer(self.save_before(pointer, mark, span)),
            direct => direct,
        };
        Ok(self.emit_call(callee, function.result, values, span, destination))
    }

    fn emit_call(
        &mut self,
        callee: Callee,
        result_type: TypeId,
        args: Vec<ExprId>,
        span: Span,
        destination: Destination,
    ) -> Operand {
        let result = match destination {
            _ if self.types.is_void(result_type) => None,
            Destination::Nowhere => None,
            Destination::Into(target) if self.exprs.place(target).ty == result_type => Some(target),
            Destination::Into(_) | Destination::Temporary => Some(self.new_temp(result_type, span)),
        };
        self.emit(span, StmtKind::Call(Call { result, callee, args }));
        match result {
            // A record stays a place, so that its members can be selected.
            Some(place) => Operand::Value(self.exprs.load(place)),
            None => Operand::Void,
        }
    }

    /// Evaluates and converts arguments.
    fn arguments(
        &mut self,
        args: &[ast::ExprId],
        function: &FunctionType,
        span: Span,
    ) -> Lowered<Vec<ExprId>> {
        let count = function.params.len();
        if function.is_prototype && (args.len() < count || args.len() > count && !function.is_variadic) {
            let least = if function.is_variadic { "at least " } else { "" };
            return self
                .error(span, format!("this function takes {least}{count} arguments, not {}", args.len()));
        }
        let values = self.rvalues(args)?;
        let convert = |(i, (value, &arg)): (usize, (ExprId, &ast::ExprId))| {
            let span = self.span_of(arg);
            match function.params.get(i) {
                Some(&param) => self.convert(value, param, span),
                None => Ok(self.default_promotion(value, span)),
            }
        };
        values.into_iter().zip(args).enumerate().map(convert).collect()
    }

    /// Values of several expressions, first to last, each as it is before the effects of the later ones.
    pub(crate) fn rvalues(&mut self, exprs: &[ast::ExprId]) -> Lowered<Vec<ExprId>> {
        let mut values: Vec<ExprId> = Vec::with_capacity(exprs.len());
        for &expr in exprs {
            let mark = self.out.len();
            let value = self.rvalue(expr)?;
            if self.out.len() > mark {
                let span = self.span_of(expr);
                for earlier in &mut values {
                    *earlier = self.save_before(*earlier, mark, span);
                }
            }
            values.push(value);
        }
        Ok(values)
    }

    /// Calls a function that the front end knows by name, with ready arguments.
    pub(crate) fn call_known(&mut self, function: FuncId, args: Vec<ExprId>, span: Span) -> Operand {
        let result = self.callee_type(self.functions[function].ty).map_or(self.types.void, |f| f.result);
        self.emit_call(Callee::Direct(function), result, args, span, Destination::Temporary)
    }

    /// The function of this name, declared at its first call: with the type that gcc knows for a library
    /// function, else as `int name()`.
    pub(crate) fn declare_implicitly(&mut self, name: Symbol, span: Span) -> FuncId {
        let text = self.text(name);
        if let Some(Binding::Function(function)) = self.scopes.lookup_at_file_scope(name) {
            return *function;
        }
        let known = self.known_signature(&text);
        if known.is_none() {
            self.warn(
                span,
                format!("`{text}` is called without a declaration; it is taken as `int {text}()`"),
            );
        }
        let function = match self.linkage.functions.get(&name) {
            Some(&function) => function,
            None => {
                let result = self.types.int;
                let unknown =
                    FunctionType { result, params: [].into(), is_variadic: false, is_prototype: false };
                let ty = self.types.intern(Type::Function(known.unwrap_or(unknown)));
                let function = self.new_function(name, ty, span);
                self.linkage.functions.insert(name, function);
                function
            }
        };
        self.scopes.bind_at_file_scope(name, Binding::Function(function));
        function
    }

    /// A function without a body (yet).
    pub(crate) fn new_function(&mut self, name: Symbol, ty: TypeId, span: Span) -> FuncId {
        self.functions.push(Function {
            name,
            ty,
            span,
            is_static: false,
            is_noreturn: false,
            is_weak: false,
            params: Vec::new(),
            result: None,
            body: None,
        })
    }

    /// `__builtin_va_arg(list, T)`: a call that yields the next argument, of type T.
    pub(crate) fn va_arg(&mut self, list: ast::ExprId, ty: ast::TypeNameId, span: Span) -> Lowered<Operand> {
        let ty = self.type_name_type(ty)?;
        if self.types.size_of(ty).is_none() {
            return self.error(span, "`va_arg` needs a complete type");
        }
        let list = self.va_list_address(list, span)?;
        let function = match self.linkage.va_args.get(&ty) {
            Some(&function) => function,
            None => {
                let params = [self.types.void_ptr].into();
                let signature = FunctionType { result: ty, params, is_variadic: false, is_prototype: true };
                let signature = self.types.intern(Type::Function(signature));
                let name = self.names.intern("__builtin_va_arg");
                let function = self.new_function(name, signature, span);
                self.linkage.va_args.insert(ty, function);
                function
            }
        };
        Ok(self.call_known(function, vec![list], span))
    }

    /// The address of a `va_list` object: itself where it is an array or a decayed parameter, else `&list`.
    pub(crate) fn va_list_address(&mut self, list: ast::ExprId, span: Span) -> Lowered<ExprId> {
        let operand = self.operand(list)?;
        let ty = self.operand_type(operand);
        let address = match (operand, self.types.get(ty)) {
            (Operand::Place(place), Type::Array(..)) => self.value_of(Operand::Place(place), span)?,
            // LP64: a parameter of type va_list is a pointer to the record. ILP32: va_list itself is `char
            // *`.
            (Operand::Place(place), Type::Pointer(target)) => {
                if self.types.record_of(*target).is_some() {
                    self.value_of(Operand::Place(place), span)?
                } else {
                    self.address_of(place, span)?
                }
            }
            _ => return self.error(span, "this is not a `va_list`"),
        };
        Ok(self.cast(address, self.types.void_ptr, span))
    }
}
