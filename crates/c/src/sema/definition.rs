//! Definitions of functions: their bodies and their parameters.
//!
//! A parameter of an old-style (K&R) definition arrives as its caller promoted it and is converted to its
//! declared type at the function's entry: then the parameter is a hidden variable and the declared one a
//! local. Of several inline bodies of one function the first is taken; a body that is not inline replaces it.

use super::declare::unsupported_reason;
use super::scope::Binding;
use super::types::{Aligned, Context};
use super::{FunctionContext, Lowered, Sema, Stop};
use crate::tree::{FuncId, StmtKind, VarId, VarKind, Variable};
use crate::types::{FloatKind, Type, TypeId};
use summa_base::Symbol;
use summa_syntax::ast::{self, DeclSpecs, Declarator, Derived, FunctionDeclarator};
use summa_syntax::{Diagnostic, Span};

impl<'a> Sema<'a> {
    pub(crate) fn function_definition(&mut self, id: ast::FunctionId) {
        let ast = self.ast;
        let definition = &ast.functions[id];
        let Some(name) = definition.declarator.name else { return };
        let (result, stmts) = self.collect(|s| s.define_function(name, definition));
        if result.is_err() && !matches!(self.scopes.lookup_at_file_scope(name), Some(Binding::Unsupported(_)))
        {
            self.give_up_name(name, unsupported_reason(&stmts), definition.declarator.name_span);
        }
        self.function = None;
    }

    fn define_function(&mut self, name: Symbol, definition: &'a ast::FunctionDef) -> Lowered<()> {
        let (specs, declarator) = (&definition.specs, &definition.declarator);
        let span = declarator.name_span;
        let base = self.specs_aligned(specs)?;
        let base = Aligned { ty: self.attributed_type(base.ty, &declarator.attributes)?, ..base };
        let (function, result) = match declarator.derived.split_last() {
            Some((Derived::Function(function), inner)) => {
                (function, self.derive(base, inner, declarator.span, Context::Ordinary)?)
            }
            _ => return self.error(span, "the declarator of this function has no parameter list"),
        };
        // A first look at the parameters without values gives the type under which the name is visible in the
        // body.
        self.scopes.push();
        let typed = self.definition_type(function, result, declarator.span);
        let params_scope = self.scopes.take();
        let (ty, param_types) = typed?;
        let id = self.declare_function(name, ty, specs, declarator)?;
        if !self.takes_body(id, specs, span)? {
            return Ok(());
        }
        if !self.types.is_void(result) && !self.is_complete(result) {
            let text = self.type_name(result);
            return self.error(span, format!("a function cannot return the incomplete type `{text}`"));
        }
        self.check_main(name, id, result, function, span);
        self.functions[id].span = span;
        self.functions[id].result = (!self.types.is_void(result)).then(|| {
            let name = self.names.intern("__result");
            self.vars.push(Variable::new(name, result, VarKind::Return(id), span))
        });
        self.function = Some(FunctionContext::new(id));
        self.scopes.restore(params_scope);
        let (_, stmts) = self.collect(|s| {
            if s.bind_params(id, definition, function, &param_types).is_ok() {
                s.statement_list(definition.body);
            }
            s.finish_labels();
        });
        self.scopes.pop();
        let end = ast_end(self.ast.stmts[definition.body].span);
        let body = self.take_body(stmts, end);
        self.functions[id].body = Some(body);
        Ok(())
    }

    /// The type of a function being defined, and those of its parameters as its prototype has them.
    fn definition_type(
        &mut self,
        function: &FunctionDeclarator,
        result: TypeId,
        span: Span,
    ) -> Lowered<(TypeId, Vec<TypeId>)> {
        let params: Vec<TypeId> =
            function.params.iter().map(|p| self.param_type(p, Context::Prototype)).collect::<Lowered<_>>()?;
        let ty = self.function_type(result, params.clone(), function, span)?;
        self.limit_depth(ty, span)?;
        Ok((ty, params))
    }

    /// May (and should) this definition give the function its body?
    fn takes_body(&mut self, id: FuncId, specs: &DeclSpecs, span: Span) -> Lowered<bool> {
        let linked = self.linked_functions(self.functions[id].name);
        if !self.functions[id].is_static
            && let Some(&other) =
                linked.iter().find(|&&other| other != id && self.functions[other].body.is_some())
        {
            let name = self.text(self.functions[id].name);
            self.report(
                Diagnostic::error(span, format!("`{name}` is defined twice, and under different types"))
                    .related(self.functions[other].span, "first defined here"),
            );
            return Err(Stop);
        }
        let was_inline = self.declared.inline_bodies.contains(id);
        if self.functions[id].body.is_some() {
            if specs.is_inline {
                return Ok(false);
            }
            if !was_inline {
                let name = self.text(self.functions[id].name);
                self.report(
                    Diagnostic::error(span, format!("`{name}` is defined twice"))
                        .related(self.functions[id].span, "first defined here"),
                );
                return Err(Stop);
            }
        }
        if specs.is_inline {
            self.declared.inline_bodies.insert(id);
        } else {
            self.declared.inline_bodies.remove(id);
        }
        Ok(true)
    }

    fn check_main(
        &mut self,
        name: Symbol,
        id: FuncId,
        result: TypeId,
        function: &FunctionDeclarator,
        span: Span,
    ) {
        if self.names.text(name) != "main" || self.functions[id].is_static {
            return;
        }
        if result != self.types.int {
            let result = self.type_name(result);
            self.warn(span, format!("`main` should return `int`, not `{result}`"));
        }
        let count = if function.is_prototype { function.params.len() } else { function.kr_names.len() };
        if count == 1 || count > 3 {
            self.warn(span, format!("`main` should have no or two parameters, not {count}"));
        }
    }

    // ---- parameters ----

    fn bind_params(
        &mut self,
        id: FuncId,
        definition: &'a ast::FunctionDef,
        function: &'a FunctionDeclarator,
        prototype: &[TypeId],
    ) -> Lowered<()> {
        if !function.is_prototype {
            return self.bind_old_style_params(id, definition, function);
        }
        for (i, (param, &ty)) in function.params.iter().zip(prototype).enumerate() {
            // Only lengths that depend on other parameters make a second look necessary, now with values.
            let ty = if mentions_lengths(&param.declarator) {
                self.param_type(param, Context::Ordinary)?
            } else {
                ty
            };
            let span = param.declarator.name_span;
            self.check_param_type(ty, param.declarator.span)?;
            let name = match param.declarator.name {
                Some(name) => name,
                None => self.names.intern(&format!("__param{}", i + 1)),
            };
            if matches!(self.scopes.lookup_here(name), Some(Binding::Var(_))) {
                let name = self.text(name);
                return self.error(span, format!("there are two parameters `{name}`"));
            }
            let var = self.new_param(id, name, ty, span);
            self.qualify(var, &param.specs, &param.declarator);
            self.scopes.bind(name, Binding::Var(var));
        }
        Ok(())
    }

    pub(super) fn new_param(&mut self, id: FuncId, name: Symbol, ty: TypeId, span: Span) -> VarId {
        let var = self.vars.push(Variable::new(name, ty, VarKind::Param(id), span));
        self.functions[id].params.push(var);
        var
    }

    fn check_param_type(&mut self, ty: TypeId, span: Span) -> Lowered<()> {
        if self.is_complete(ty) {
            return Ok(());
        }
        let name = self.type_name(ty);
        self.error(span, format!("a parameter cannot have the incomplete type `{name}`"))
    }

    fn bind_old_style_params(
        &mut self,
        id: FuncId,
        definition: &'a ast::FunctionDef,
        function: &'a FunctionDeclarator,
    ) -> Lowered<()> {
        let declared = self.old_style_declarations(definition, function)?;
        // GNU: an earlier prototype says how the arguments arrive.
        let prototype = self.types.function_type(self.functions[id].ty).filter(|f| f.is_prototype).cloned();
        if let Some(prototype) = &prototype
            && prototype.params.len() != function.kr_names.len()
        {
            let (is, was) = (function.kr_names.len(), prototype.params.len());
            let message = format!("this function has {is} parameters, but {was} in its prototype");
            return self.error(definition.declarator.name_span, message);
        }
        for (i, &(name, span)) in function.kr_names.iter().enumerate() {
            let declaration = declared.iter().find(|d| d.0 == name);
            let ty = declaration.map_or(self.types.int, |d| d.1);
            self.check_param_type(ty, span)?;
            let arrives = match &prototype {
                Some(prototype) => prototype.params.get(i).copied().unwrap_or(ty),
                None => self.promoted_parameter(ty),
            };
            let param = self.new_param(id, name, arrives, span);
            let var = if arrives == ty {
                param
            } else {
                let local = self.vars.push(Variable::new(name, ty, VarKind::Local(id), span));
                let from = self.exprs.var(param, arrives);
                let from = self.exprs.load(from);
                let value = self.convert(from, ty, span)?;
                let place = self.exprs.var(local, ty);
                self.emit(span, StmtKind::Declare(local));
                self.emit(span, StmtKind::Assign(place, value));
                local
            };
            if let Some(&(_, _, specs, declarator)) = declaration {
                self.qualify(var, specs, declarator);
            }
            self.scopes.bind(name, Binding::Var(var));
        }
        Ok(())
    }

    /// The declarations between parameter list and body, each of a parameter.
    fn old_style_declarations(
        &mut self,
        definition: &'a ast::FunctionDef,
        function: &FunctionDeclarator,
    ) -> Lowered<Vec<(Symbol, TypeId, &'a DeclSpecs, &'a Declarator)>> {
        let ast = self.ast;
        let mut declared: Vec<(Symbol, TypeId, &DeclSpecs, &Declarator)> = Vec::new();
        for &id in &definition.kr_declarations {
            let declaration = &ast.decls[id];
            let base = self.specs_aligned(&declaration.specs)?;
            for d in &declaration.declarators {
                let Some(name) = d.declarator.name else { continue };
                let span = d.declarator.name_span;
                let is_param = function.kr_names.iter().any(|(param, _)| *param == name);
                if !is_param || declared.iter().any(|d| d.0 == name) {
                    let name = self.text(name);
                    let problem = if is_param { "is declared twice" } else { "is not a parameter" };
                    return self.error(span, format!("`{name}` {problem}"));
                }
                let ty = self.declared_type(base, &d.declarator, Context::Ordinary)?.ty;
                let ty = self.adjusted(ty);
                declared.push((name, ty, &declaration.specs, &d.declarator));
            }
        }
        Ok(declared)
    }

    /// The conversion of an argument without a prototype (6.5.2.2p6).
    fn promoted_parameter(&mut self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Int(_) => self.types.promote(ty),
            Type::Float(FloatKind::Float) => self.types.double,
            _ => ty,
        }
    }
}

/// Does an array in the declarator have a length that may depend on values?
fn mentions_lengths(declarator: &Declarator) -> bool {
    declarator.derived.iter().any(|d| matches!(d, Derived::Array { size: ast::ArraySize::Expr(_), .. }))
}

/// The closing brace of a body.
fn ast_end(body: Span) -> Span {
    Span::new(body.hi.saturating_sub(1).max(body.lo), body.hi)
}
