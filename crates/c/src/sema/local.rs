//! Declarations inside of functions: variables with automatic storage, static ones, and names whose type
//! comes from their initialiser.

use super::call::CallInto;
use super::declare::{BROKEN, unsupported_reason};
use super::scope::Binding;
use super::types::{Aligned, Context, Qualified};
use super::{Lowered, Sema, Stop};
use crate::tree::{StmtKind, VarId, VarKind, Variable};
use crate::types::TypeId;
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast::{self, DeclSpecs, InitDeclarator, Storage, TypeSpec};

impl<'a> Sema<'a> {
    /// A declaration inside a function: lowers to `Declare` and what the initialiser does.
    pub(crate) fn local_declaration(&mut self, id: ast::DeclId) -> Lowered<()> {
        let ast = self.ast;
        let declaration = &ast.decls[id];
        let specs = &declaration.specs;
        if declaration.declarators.is_empty() {
            return self.lone_specifiers(specs);
        }
        let base = match specs.ty {
            // Filled in by the initialiser.
            TypeSpec::Auto => {
                Ok(Aligned { ty: self.types.int, align: None, quals: Qualified::default().and(specs.quals) })
            }
            _ => self.specs_aligned(specs),
        };
        let mut result = Ok(());
        for d in &declaration.declarators {
            let Some(name) = d.declarator.name else { continue };
            let before = self.out.len();
            let done = match base {
                Ok(base) if specs.ty == TypeSpec::Auto => self.auto_declarator(name, specs, base, d),
                Ok(base) => self.local_declarator(name, specs, base, d),
                Err(_) => Err(Stop),
            };
            if done.is_err() {
                result = Err(Stop);
                if self.scopes.lookup_here(name).is_none() {
                    let why = unsupported_reason(&self.out[before.min(self.out.len())..]);
                    let why = why.unwrap_or_else(|| BROKEN.to_string());
                    self.scopes.bind(name, Binding::Unsupported(why));
                }
            }
        }
        result
    }

    fn local_declarator(
        &mut self,
        name: Symbol,
        specs: &DeclSpecs,
        base: Aligned,
        d: &InitDeclarator,
    ) -> Lowered<()> {
        let declarator = &d.declarator;
        let declared = self.declared_type(base, declarator, Context::Ordinary)?;
        let span = declarator.name_span;
        if specs.storage == Storage::Typedef {
            return self.declare_typedef(name, specs, declarator, declared);
        }
        if self.types.is_function(declared.ty) {
            return self.declare_function(name, declared.ty, specs, declarator).map(drop);
        }
        if specs.storage == Storage::Extern {
            if d.init.is_some() {
                return self.error(span, "an `extern` variable in a block cannot have an initialiser");
            }
            return self.declare_global(name, declared.ty, specs, declarator).map(drop);
        }
        if self.scopes.lookup_here(name).is_some() {
            return self.declared_twice(name, span);
        }
        if specs.storage == Storage::Static || specs.is_thread_local {
            return self.static_local(name, declared.ty, specs, d);
        }
        let var = self.new_local(name, declared.ty, span)?;
        self.qualify(var, specs, declarator);
        self.scopes.bind(name, Binding::Var(var));
        self.start_local(name, var, d)?;
        self.start_cleanup(specs.attributes.iter().chain(&declarator.attributes), var)
    }

    /// The lifetime of a local variable begins, with its initialiser.
    fn start_local(&mut self, name: Symbol, var: VarId, d: &InitDeclarator) -> Lowered<()> {
        let (declarator, ty) = (&d.declarator, self.vars[var].ty);
        let span = declarator.name_span;
        if let Some(&ast::Init::Expr(value)) = d.init.map(|init| &self.ast.inits[init])
            && matches!(self.ast.exprs[value].kind, ast::ExprKind::Call { .. })
            && self.types.is_scalar(ty)
        {
            return self.local_from_call(var, value, span);
        }
        let plan = match d.init {
            Some(init) => Some(self.plan_initializer(ty, init)?),
            None => None,
        };
        let ty = plan.as_ref().map_or(ty, |plan| plan.ty);
        self.vars[var].ty = ty;
        self.check_object_type(name, ty, span)?;
        self.emit(span, StmtKind::Declare(var));
        let place = self.exprs.var(var, ty);
        match plan {
            Some(plan) => self.store_plan(place, &plan, span)?,
            None if declarator.asm_label.is_some() => {
                self.emit(span, StmtKind::Havoc(place, "the value of a machine register".to_string()));
            }
            None => {}
        }
        Ok(())
    }

    /// `T x = f();` without a temporary where the types agree.
    fn local_from_call(&mut self, var: VarId, value: ast::ExprId, span: Span) -> Lowered<()> {
        let ty = self.vars[var].ty;
        self.emit(span, StmtKind::Declare(var));
        let place = self.exprs.var(var, ty);
        let value = match self.call_into(place, None, value)? {
            CallInto::Stored => return Ok(()),
            CallInto::Value(value) => value,
            CallInto::NoCall => self.rvalue(value)?,
        };
        let value = self.convert(value, ty, span)?;
        self.emit(span, StmtKind::Assign(place, value));
        Ok(())
    }

    /// `__auto_type x = e;`
    fn auto_declarator(
        &mut self,
        name: Symbol,
        specs: &DeclSpecs,
        base: Aligned,
        d: &InitDeclarator,
    ) -> Lowered<()> {
        let span = d.declarator.name_span;
        let ast = self.ast;
        let Some(ast::Init::Expr(init)) = d.init.map(|init| &ast.inits[init]) else {
            return self.error(span, "`__auto_type` needs an initialiser");
        };
        if !d.declarator.derived.is_empty() {
            return self.error(span, "`__auto_type` declares plain names only");
        }
        // The name is not yet visible in the initialiser, which is looked at once.
        let value = self.rvalue(*init)?;
        let ty = self.exprs.type_of(value);
        if specs.storage != Storage::None {
            return self.local_declarator(name, specs, Aligned { ty, ..base }, d);
        }
        if self.scopes.lookup_here(name).is_some() {
            return self.declared_twice(name, span);
        }
        let var = self.new_local(name, ty, span)?;
        self.check_object_type(name, ty, span)?;
        self.qualify(var, specs, &d.declarator);
        self.scopes.bind(name, Binding::Var(var));
        self.emit(span, StmtKind::Declare(var));
        let place = self.exprs.var(var, ty);
        self.emit(span, StmtKind::Assign(place, value));
        self.start_cleanup(specs.attributes.iter().chain(&d.declarator.attributes), var)
    }

    fn new_local(&mut self, name: Symbol, ty: TypeId, span: Span) -> Lowered<VarId> {
        let Some(context) = &self.function else {
            return self.error(span, "a variable in a statement expression outside of functions");
        };
        let kind = VarKind::Local(context.id);
        Ok(self.vars.push(Variable::new(name, ty, kind, span)))
    }

    fn static_local(
        &mut self,
        name: Symbol,
        ty: TypeId,
        specs: &DeclSpecs,
        d: &InitDeclarator,
    ) -> Lowered<()> {
        let span = d.declarator.name_span;
        if self.variable_length(ty).is_some() {
            return self.error(span, "a static variable cannot have a variable length");
        }
        let var = self.new_local(name, ty, span)?;
        if let Some(context) = &self.function {
            self.vars[var].kind = VarKind::Static(context.id);
        }
        self.qualify(var, specs, &d.declarator);
        self.scopes.bind(name, Binding::Var(var));
        if let Some(init) = d.init {
            let (result, stmts) = self.collect(|s| s.static_initializer(var, init));
            if result.is_err()
                && let Some(why) = unsupported_reason(&stmts)
            {
                self.scopes.bind(name, Binding::Unsupported(why));
                return Ok(());
            }
            result?;
        }
        self.check_object_type(name, self.vars[var].ty, span)
    }
}
