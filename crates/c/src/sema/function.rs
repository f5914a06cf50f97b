//! Functions: declarations, and how those of one function are linked. `definition.rs` has the bodies.

use super::declare::When;
use super::scope::Binding;
use super::{Lowered, Sema, Stop};
use crate::tree::{Body, FuncId, Function, Stmt, StmtKind, VarKind, Variable};
use crate::types::TypeId;
use summa_base::Symbol;
use summa_syntax::Diagnostic;
use summa_syntax::Span;
use summa_syntax::ast::{self, Attribute, DeclSpecs, Declarator, Storage};

impl<'a> Sema<'a> {
    /// Puts a function's name into scope and links it with its other declarations.
    pub(crate) fn declare_function(
        &mut self,
        name: Symbol,
        ty: TypeId,
        specs: &DeclSpecs,
        declarator: &Declarator,
    ) -> Lowered<FuncId> {
        let span = declarator.name_span;
        let attributes = || specs.attributes.iter().chain(&declarator.attributes);
        let has = |s: &Self, name: &str| attributes().any(|a| s.names.text(a.name) == name);
        let linked = self.linked_name(declarator, name)?;
        let is_weak = has(self, "weak") || self.declared.weak_names.contains(&linked);
        if has(self, "alias") || has(self, "ifunc") || has(self, "weakref") {
            let attribute = attributes().find(|a| matches!(self.names.text(a.name), "alias" | "weakref"));
            if let Some(id) = self.aliased(attribute.filter(|_| !is_weak && !has(self, "ifunc")), ty) {
                if specs.storage != Storage::Static {
                    self.linkage.functions.insert(linked, id);
                }
                self.scopes.bind(name, Binding::Function(id));
                return Ok(id);
            }
            let text = self.text(name);
            self.scopes.bind(name, Binding::Unsupported(format!("`{text}`, an alias of another function")));
            return Err(Stop);
        }
        if is_weak {
            self.assume(span, "weak symbols are not replaced by definitions outside of the inputs");
        }
        if let Some(why) = self.declared.unsupported_links.get(&linked).cloned() {
            return self.unsupported(span, why);
        }
        let id = match self.visible_function(name, span)? {
            Some(id) => id,
            None => self.link_function(linked, ty, span, specs.storage == Storage::Static),
        };
        self.merge_function_type(id, ty, span)?;
        let is_noreturn = specs.is_noreturn || has(self, "noreturn");
        self.functions[id].is_noreturn |= is_noreturn;
        self.functions[id].is_weak |= is_weak;
        self.scopes.bind(name, Binding::Function(id));
        for attribute in attributes() {
            self.runs_unasked(id, attribute)?;
        }
        Ok(id)
    }

    /// Attributes `constructor` and `destructor`, with a priority from 0 to 65535; without one it is the
    /// last.
    fn runs_unasked(&mut self, id: FuncId, attribute: &Attribute) -> Lowered<()> {
        let when = match self.names.text(attribute.name) {
            "constructor" => When::Before,
            "destructor" => When::After,
            _ => return Ok(()),
        };
        let priority = match attribute.args.first() {
            None => 65535,
            Some(&arg) => match u32::try_from(self.constant(arg)?) {
                Ok(priority) if priority <= 65535 => priority,
                _ => return self.error(attribute.span, "a priority is a number from 0 to 65535"),
            },
        };
        self.declared.unasked.retain(|&(other, function, ..)| (other, function) != (when, id));
        let unit = self.types.unit;
        let ties = |&(other, _, p, u): &(When, FuncId, u32, u32)| (other, p) == (when, priority) && u != unit;
        if self.declared.unasked.iter().any(ties) {
            let what = "constructors and destructors of equal priority in several files run in the order of \
                the files";
            self.assume(attribute.span, what);
        }
        self.declared.unasked.push((when, id, priority, unit));
        Ok(())
    }

    /// The functions that run then, in their order: constructors by priority and then as they are defined, in
    /// the order of the files; destructors the other way round.
    pub(crate) fn sorted_by_priority(&mut self, when: When) -> Vec<FuncId> {
        let unasked = self.declared.unasked.iter().filter(|(other, ..)| *other == when);
        let defined = unasked.filter(|&&(_, id, ..)| self.functions[id].body.is_some());
        let mut sorted: Vec<(u32, u32, FuncId)> =
            defined.map(|&(_, id, priority, _)| (priority, self.functions[id].span.lo, id)).collect();
        sorted.sort_unstable();
        if when == When::After {
            sorted.reverse();
        }
        sorted.into_iter().map(|(.., id)| id).collect()
    }

    /// The function of this file that an attribute names, if it is declared with the same type.
    fn aliased(&self, attribute: Option<&Attribute>, ty: TypeId) -> Option<FuncId> {
        let &target = attribute?.args.first()?;
        let ast::ExprKind::String(id) = self.ast.exprs[target].kind else { return None };
        let text: Option<String> =
            self.ast.strings[id].units.iter().map(|&unit| char::from_u32(unit)).collect();
        let name = self.names.lookup(&text?)?;
        match self.scopes.lookup_at_file_scope(name) {
            Some(&Binding::Function(id)) if self.types.compatible(self.functions[id].ty, ty) => Some(id),
            _ => None,
        }
    }

    /// The function that `name` already means: in this scope, or at file scope if something else hides it.
    fn visible_function(&mut self, name: Symbol, span: Span) -> Lowered<Option<FuncId>> {
        match self.scopes.lookup_here(name) {
            None | Some(Binding::Function(_)) => {}
            Some(Binding::Unsupported(why)) => {
                let why = why.clone();
                return self.unsupported(span, why);
            }
            Some(_) => {
                let name = self.text(name);
                return self.error(span, format!("`{name}` is already declared as something else"));
            }
        }
        let visible = self.scopes.lookup(name).into_iter().chain(self.scopes.lookup_at_file_scope(name));
        Ok(visible.into_iter().find_map(|binding| match binding {
            Binding::Function(id) => Some(*id),
            _ => None,
        }))
    }

    /// The function of this linked name and type, made if it is new. With another type, in another file or by
    /// another name for the same symbol, it is another function here, because no compiler would see that. The
    /// meaning of calls is settled when everything is linked ([`Self::finish_retyped`]).
    fn link_function(&mut self, linked: Symbol, ty: TypeId, span: Span, is_static: bool) -> FuncId {
        let first = self.linkage.functions.get(&linked).copied();
        if !is_static && first.is_some() {
            let others = self.linkage.retyped.get(&linked).into_iter().flatten().copied();
            let mut known = first.into_iter().chain(others);
            if let Some(id) = known.find(|&id| self.types.compatible(self.functions[id].ty, ty)) {
                return id;
            }
        }
        let function = Function {
            name: linked,
            ty,
            span,
            is_static,
            is_noreturn: false,
            is_weak: false,
            params: Vec::new(),
            result: None,
            body: None,
        };
        let id = self.functions.push(function);
        if is_static {
            return id;
        }
        match first {
            Some(_) => self.linkage.retyped.entry(linked).or_default().push(id),
            None => {
                self.linkage.functions.insert(linked, id);
            }
        }
        id
    }

    /// Is it another function of the same name under another type?
    pub(crate) fn is_retyped(&self, id: FuncId) -> bool {
        let others = self.linkage.retyped.get(&self.functions[id].name);
        others.is_some_and(|others| others.contains(&id))
    }

    /// All functions that are linked under this name.
    pub(super) fn linked_functions(&self, linked: Symbol) -> Vec<FuncId> {
        let others = self.linkage.retyped.get(&linked).into_iter().flatten();
        self.linkage.functions.get(&linked).into_iter().chain(others).copied().collect()
    }

    /// To be called after the last unit. If a function is defined with one type and called with another, the
    /// call is undefined, and its effect depends on the machine. If no file defines the function, any of its
    /// types will do.
    pub(crate) fn finish_retyped(&mut self) {
        let mut names: Vec<Symbol> = self.linkage.retyped.keys().copied().collect();
        names.sort_unstable();
        for name in names {
            let functions = self.linked_functions(name);
            let Some(&definition) = functions.iter().find(|&&id| self.functions[id].body.is_some()) else {
                continue;
            };
            let ty = self.type_name(self.functions[definition].ty);
            for id in functions {
                if self.functions[id].body.is_some() {
                    continue;
                }
                let (own, span) = (self.functions[id].ty, self.functions[id].span);
                let why = format!(
                    "`{}` declared as `{}`, but defined as `{ty}`",
                    self.text(name),
                    self.type_name(own)
                );
                self.warn(span, why.clone());
                let Some(function) = self.types.function_type(own).cloned() else { continue };
                // A reference to the name means the definition.
                self.functions[id].is_static = true;
                for param in function.params {
                    let name = self.names.intern("__param");
                    self.new_param(id, name, param, span);
                }
                self.functions[id].result = (!self.types.is_void(function.result)).then(|| {
                    let name = self.names.intern("__result");
                    self.vars.push(Variable::new(name, function.result, VarKind::Return(id), span))
                });
                let stmts = vec![Stmt { kind: StmtKind::Unsupported(why), span }];
                self.functions[id].body = Some(Body { stmts, end: span, ..Body::default() });
            }
        }
    }

    /// The composite type of all declarations: a prototype wins over none.
    fn merge_function_type(&mut self, id: FuncId, ty: TypeId, span: Span) -> Lowered<()> {
        let old = self.functions[id].ty;
        if !self.types.compatible(old, ty) {
            let name = self.text(self.functions[id].name);
            let (have, had) = (self.type_name(ty), self.type_name(old));
            self.report(
                Diagnostic::error(span, format!("`{name}` is declared with different types"))
                    .label(format!("`{have}` here"))
                    .related(self.functions[id].span, format!("`{had}` before")),
            );
            return Err(Stop);
        }
        let is_prototype = |s: &Self, ty| s.types.function_type(ty).is_some_and(|f| f.is_prototype);
        if !is_prototype(self, old) && is_prototype(self, ty) {
            self.functions[id].ty = ty;
        }
        Ok(())
    }
}
