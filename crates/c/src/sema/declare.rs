//! Declarations: what names mean, in which scope, and how those with linkage come together across files.
//!
//! A name whose declaration is not supported is bound to the reason ([`Binding::Unsupported`]), so that only
//! its users suffer. The same holds across files for linked names.

use super::scope::Binding;
use super::types::{ATOMIC, Aligned, Context, Qualified, qualified};
use super::{Lowered, Sema, Stop};
use crate::tree::{About, FuncId, Stmt, StmtKind, VarId, VarKind, Variable};
use crate::types::{ArrayLen, RecordId, Type, TypeId};
use summa_base::{FxHashMap, FxHashSet, Id, IdMap, IdSet, Symbol};
use summa_syntax::Diagnostic;
use summa_syntax::Span;
use summa_syntax::ast::{
    self, DeclSpecs, Declarator, Derived, InitDeclarator, Item, Quals, Storage, TypeSpec,
};

/// Why a name whose declaration has an error (already reported) cannot be used.
pub(super) const BROKEN: &str = "a name whose declaration has an error";

/// The results of declarations besides names.
#[derive(Default)]
pub(crate) struct Declared {
    /// Specifiers with a body that have been looked at, of this translation unit.
    pub(crate) record_specs: FxHashMap<ast::RecordSpecId, TypeId>,
    pub(crate) enum_specs: FxHashMap<ast::EnumSpecId, TypeId>,
    /// Records whose members are being declared.
    pub(crate) open_records: Vec<RecordId>,
    pub(crate) unsupported_records: FxHashMap<RecordId, String>,
    /// Alignments of variables that are declared with one, in bytes.
    pub(crate) alignments: FxHashMap<VarId, u64>,
    pub(crate) unsupported_links: FxHashMap<Symbol, String>,
    /// Names of functions that `#pragma weak` mentions.
    pub(crate) weak_names: FxHashSet<Symbol>,
    pub(crate) type_depths: IdMap<TypeId, u16>,
    pub(crate) va_list: Option<TypeId>,
    /// Functions whose body so far comes from an `inline` definition.
    pub(crate) inline_bodies: IdSet<FuncId>,
    /// Variables with linkage that have an initialiser.
    pub(crate) initialized: IdSet<VarId>,
    /// Functions that run before or after `main`, with their priorities and translation units.
    pub(crate) unasked: Vec<(When, FuncId, u32, u32)>,
    /// Where the last function of this translation unit ends.
    pub(crate) unit_end: u32,
    pub(crate) compound_literals: u32,
}

/// When a function runs that is not called: before or after `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Before,
    After,
}

/// The first reason why something lowered to these statements is not supported.
pub(crate) fn unsupported_reason(stmts: &[Stmt]) -> Option<String> {
    stmts.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Unsupported(why) => Some(why.clone()),
        StmtKind::Block(inner) | StmtKind::Loop(inner) => unsupported_reason(inner),
        StmtKind::If { then, otherwise, .. } => {
            unsupported_reason(then).or_else(|| unsupported_reason(otherwise))
        }
        _ => None,
    })
}

impl<'a> Sema<'a> {
    /// Declares and lowers everything in the current translation unit.
    pub(crate) fn unit(&mut self) {
        self.scopes.reset();
        self.declared.record_specs.clear();
        self.declared.enum_specs.clear();
        let ast = self.ast;
        self.declared.unit_end = ast.functions.values().map(|function| function.span.hi).max().unwrap_or(0);
        self.symbol_pragmas();
        for item in &ast.items {
            match item {
                Item::Function(id) => self.function_definition(*id),
                Item::Declaration(id) => self.file_declaration(*id),
                Item::StaticAssert(assert) => {
                    let (_, stmts) = self.collect(|s| s.static_assert(assert));
                    if let Some(why) = unsupported_reason(&stmts) {
                        self.report(Diagnostic::error(assert.span, format!("not supported: {why}")));
                    }
                }
                Item::Asm(span) => self.assume(*span, "assembly at file scope has no effect on the program"),
            }
        }
    }

    /// To be called after the last unit: tentative definitions become complete.
    pub(crate) fn finish_linking(&mut self) {
        self.finish_retyped();
        let globals: Vec<VarId> =
            self.vars.iter().filter(|(_, v)| v.kind == VarKind::Global).map(|(id, _)| id).collect();
        for var in globals {
            let Variable { name, ty, span, .. } = self.vars[var];
            if let Type::Array(element, ArrayLen::Unknown) = *self.types.get(ty) {
                let name = self.text(name);
                self.warn(span, format!("the array `{name}` has no length: one element is assumed"));
                self.vars[var].ty = self.types.array_of(element, ArrayLen::Fixed(1));
            } else if !self.is_complete(ty) {
                let (name, ty) = (self.text(name), self.type_name(ty));
                self.report(Diagnostic::error(span, format!("`{name}` has the incomplete type `{ty}`")));
            }
        }
    }

    pub(crate) fn static_assert(&mut self, assert: &ast::StaticAssert) -> Lowered<()> {
        if self.constant(assert.condition)? != 0 {
            return Ok(());
        }
        let ast = self.ast;
        let message: String = assert.message.map_or(String::new(), |id| {
            let text: String =
                ast.strings[id].units.iter().map(|&u| char::from_u32(u).unwrap_or('\u{fffd}')).collect();
            format!(": {text}")
        });
        self.error(assert.span, format!("static assertion failed{message}"))
    }

    // ---- file scope ----

    fn file_declaration(&mut self, id: ast::DeclId) {
        let ast = self.ast;
        let declaration = &ast.decls[id];
        let specs = &declaration.specs;
        if declaration.declarators.is_empty() {
            let _ = self.collect(|s| s.lone_specifiers(specs));
            return;
        }
        let (base, stmts) = self.collect(|s| s.specs_aligned(specs));
        for d in &declaration.declarators {
            let Some(name) = d.declarator.name else { continue };
            let (done, stmts) = match base {
                Ok(base) => self.collect(|s| s.file_declarator(name, specs, base, d)),
                Err(_) => (Err(Stop), stmts.clone()),
            };
            if done.is_err() && !matches!(self.scopes.lookup_here(name), Some(Binding::Unsupported(_))) {
                self.give_up_name(name, unsupported_reason(&stmts), d.declarator.name_span);
            }
        }
    }

    fn file_declarator(
        &mut self,
        name: Symbol,
        specs: &DeclSpecs,
        base: Aligned,
        d: &InitDeclarator,
    ) -> Lowered<()> {
        let declarator = &d.declarator;
        let declared = self.declared_type(base, declarator, Context::Ordinary)?;
        if specs.storage == Storage::Typedef {
            return self.declare_typedef(name, specs, declarator, declared);
        }
        if self.types.is_function(declared.ty) {
            return self.declare_function(name, declared.ty, specs, declarator).map(drop);
        }
        if specs.storage == Storage::Register {
            return self.unsupported(declarator.span, "a global variable in a machine register");
        }
        let known = self.vars.len();
        let var = self.declare_global(name, declared.ty, specs, declarator)?;
        let is_new = var.index() >= known;
        let from = declarator.name_span.hi;
        self.vars[var].scopes.push(Span::new(from, self.declared.unit_end.max(from)));
        let is_definition = specs.storage != Storage::Extern || d.init.is_some();
        if is_definition {
            self.vars[var].kind = VarKind::Global;
            self.vars[var].span = declarator.name_span;
        }
        let Some(init) = d.init else { return Ok(()) };
        if !self.declared.initialized.insert(var) {
            return self.defined_twice(name, declarator.name_span, self.vars[var].span);
        }
        let (result, stmts) = self.collect(|s| s.static_initializer(var, init));
        if result.is_err()
            && is_new
            && let Some(why) = unsupported_reason(&stmts)
        {
            self.scopes.bind(name, Binding::Unsupported(why.clone()));
            self.declared.unsupported_links.insert(self.vars[var].name, why);
            return Ok(());
        }
        self.out.extend(stmts);
        result
    }

    fn defined_twice<T>(&mut self, name: Symbol, span: Span, first: Span) -> Lowered<T> {
        let name = self.text(name);
        self.report(
            Diagnostic::error(span, format!("`{name}` is defined twice"))
                .related(first, "first defined here"),
        );
        Err(Stop)
    }

    /// The declaration of a name at file scope is not supported, or has an error that was reported (`None`).
    /// Where nothing can have used the name yet, its later users bear it; otherwise the whole program does.
    pub(crate) fn give_up_name(&mut self, name: Symbol, why: Option<String>, span: Span) {
        let is_known = self.scopes.lookup_at_file_scope(name).is_some()
            || self.linkage.functions.contains_key(&name)
            || self.linkage.variables.contains_key(&name);
        if let Some(why) = &why
            && is_known
        {
            self.report(Diagnostic::error(span, format!("not supported: {why}")));
        }
        let why = why.unwrap_or_else(|| BROKEN.to_string());
        self.declared.unsupported_links.entry(name).or_insert_with(|| why.clone());
        self.scopes.bind_at_file_scope(name, Binding::Unsupported(why));
    }

    pub(super) fn declare_typedef(
        &mut self,
        name: Symbol,
        specs: &DeclSpecs,
        declarator: &Declarator,
        declared: Aligned,
    ) -> Lowered<()> {
        let of_name = self.aligned_attribute(&specs.attributes)?;
        let align = of_name.max(self.aligned_attribute(&declarator.attributes)?).or(declared.align);
        match self.scopes.lookup_here(name) {
            Some(Binding::Typedef(old)) if self.variable_length(declared.ty).is_none() => {
                if !self.types.compatible(*old, declared.ty) {
                    let name = self.text(name);
                    return self.error(declarator.name_span, format!("`{name}` already names another type"));
                }
            }
            None | Some(Binding::Unsupported(_)) => {}
            Some(_) => return self.declared_twice(name, declarator.name_span),
        }
        self.scopes.bind(name, Binding::Typedef(declared.ty));
        self.scopes.bind_typedef_align(name, align);
        self.scopes.bind_typedef_quals(name, declared.quals);
        Ok(())
    }

    pub(super) fn declared_twice<T>(&mut self, name: Symbol, span: Span) -> Lowered<T> {
        let first = match self.scopes.lookup_here(name) {
            Some(Binding::Var(var)) => Some(self.vars[*var].span),
            Some(Binding::Function(id)) => Some(self.functions[*id].span),
            _ => None,
        };
        let text = self.text(name);
        let mut diagnostic = Diagnostic::error(span, format!("`{text}` is declared twice in this scope"));
        if let Some(first) = first {
            diagnostic = diagnostic.related(first, "first declared here");
        }
        self.report(diagnostic);
        Err(Stop)
    }

    /// A variable with linkage, at file scope or declared `extern` in a block.
    pub(super) fn declare_global(
        &mut self,
        name: Symbol,
        ty: TypeId,
        specs: &DeclSpecs,
        declarator: &Declarator,
    ) -> Lowered<VarId> {
        let span = declarator.name_span;
        if self.types.is_void(ty) {
            let text = self.text(name);
            return self.error(span, format!("`{text}` cannot have type `void`"));
        }
        if self.has_attribute(&specs.attributes, "alias")
            || self.has_attribute(&declarator.attributes, "alias")
        {
            return self.unsupported(span, "a variable that is an alias of another");
        }
        let linked = self.linked_name(declarator, name)?;
        if let Some(why) = self.made_by_linker(linked, specs, declarator) {
            return self.unsupported(span, why);
        }
        if let Some(why) = self.declared.unsupported_links.get(&linked).cloned()
            && specs.storage != Storage::Static
        {
            return self.unsupported(span, why);
        }
        let here = match self.scopes.lookup_here(name) {
            None => None,
            Some(Binding::Var(var)) => Some(*var),
            Some(_) => return self.declared_twice(name, span),
        };
        let known = here.or_else(|| match self.scopes.lookup_at_file_scope(name) {
            Some(Binding::Var(var)) => Some(*var),
            _ => None,
        });
        let linked_before = match specs.storage {
            Storage::Static => None,
            _ => self.linkage.variables.get(&linked).copied(),
        };
        let var = match known.or(linked_before) {
            Some(var) => {
                self.merge_variable_type(var, ty, span)?;
                var
            }
            None => {
                let kind = if specs.storage == Storage::Extern { VarKind::External } else { VarKind::Global };
                let var = self.vars.push(Variable::new(linked, ty, kind, span));
                if specs.storage != Storage::Static {
                    self.linkage.variables.insert(linked, var);
                }
                var
            }
        };
        self.qualify(var, specs, declarator);
        self.scopes.bind(name, Binding::Var(var));
        Ok(var)
    }

    /// Why only the linker knows where this object is, or whether it exists.
    fn made_by_linker(&self, linked: Symbol, specs: &DeclSpecs, declarator: &Declarator) -> Option<String> {
        if specs.storage != Storage::Extern {
            return None;
        }
        let text = self.names.text(linked);
        if let Some(section) = text.strip_prefix("__start_").or_else(|| text.strip_prefix("__stop_")) {
            return Some(format!(
                "`{text}`, a border of the section `{section}`, which the linker puts together"
            ));
        }
        let is_weak = self.declared.weak_names.contains(&linked)
            || self.has_attribute(&specs.attributes, "weak")
            || self.has_attribute(&declarator.attributes, "weak");
        is_weak.then(|| format!("`{text}`, a weak object, which may be missing"))
    }

    /// Reads pragmas about symbols, which hold for the whole file.
    fn symbol_pragmas(&mut self) {
        for pragma in &self.ast.renames {
            let name = self.names.intern(&pragma.name);
            match &pragma.other {
                None => {
                    self.declared.weak_names.insert(name);
                }
                Some(other) => {
                    let why = format!("`{}`, which a pragma makes another name for `{other}`", pragma.name);
                    self.declared.unsupported_links.entry(name).or_insert(why);
                }
            }
        }
    }

    /// The composite type of all declarations of a variable: the complete one.
    fn merge_variable_type(&mut self, var: VarId, ty: TypeId, span: Span) -> Lowered<()> {
        let old = self.vars[var].ty;
        if !self.types.compatible(old, ty) {
            let name = self.text(self.vars[var].name);
            let (have, had) = (self.type_name(ty), self.type_name(old));
            self.report(
                Diagnostic::error(span, format!("`{name}` is declared with different types"))
                    .label(format!("`{have}` here"))
                    .related(self.vars[var].span, format!("`{had}` before")),
            );
            return Err(Stop);
        }
        if !self.is_complete(old) && self.is_complete(ty) {
            self.vars[var].ty = ty;
        }
        Ok(())
    }

    // ---- shared ----

    pub(super) fn check_object_type(&mut self, name: Symbol, ty: TypeId, span: Span) -> Lowered<()> {
        if self.is_complete(ty) {
            return Ok(());
        }
        let (name, ty) = (self.text(name), self.type_name(ty));
        self.error(span, format!("`{name}` has the incomplete type `{ty}`"))
    }

    /// `struct S { … };`, `enum { … };`, `struct S;`: a declaration without declarators.
    pub(super) fn lone_specifiers(&mut self, specs: &DeclSpecs) -> Lowered<()> {
        match specs.ty {
            TypeSpec::Record(id) => self.record_type(id, true).map(drop),
            TypeSpec::Enum(id) => self.enum_type(id, true).map(drop),
            _ => {
                self.warn(specs.span, "this declares nothing");
                Ok(())
            }
        }
    }

    /// Records the qualifiers of a variable.
    pub(crate) fn qualify(&mut self, var: VarId, specs: &DeclSpecs, declarator: &Declarator) {
        self.note_alignment(var, specs, declarator);
        let is_const = object_quals(specs, declarator).is_const;
        let of_type = match specs.ty {
            TypeSpec::Typedef(name) => self.scopes.typedef_quals(name),
            TypeSpec::Atomic(_) => Qualified { is_atomic: true, ..Qualified::default() },
            _ => Qualified::default(),
        };
        let quals = qualified(of_type.and(specs.quals), &declarator.derived);
        let variable = &mut self.vars[var];
        variable.is_const |= is_const;
        variable.is_volatile |= quals.is_volatile;
        variable.is_thread_local |= specs.is_thread_local;
        if quals.is_atomic {
            let about = if variable.kind.is_static() { About::Object(var) } else { self.here() };
            self.assume_about(about, declarator.span, ATOMIC);
        }
    }
}

/// The qualifiers of the object itself; an array's are those of its elements.
fn object_quals(specs: &DeclSpecs, declarator: &Declarator) -> Quals {
    for derived in declarator.derived.iter().rev() {
        match derived {
            Derived::Pointer(quals) => return *quals,
            Derived::Array { .. } => {}
            Derived::Function(_) => return Quals::default(),
        }
    }
    specs.quals
}
