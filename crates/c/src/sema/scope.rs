//! Names: nested scopes of ordinary identifiers and tags, and what is linked across files.

use super::types::Qualified;
use crate::tree::{FuncId, VarId};
use crate::types::TypeId;
use summa_base::{FxHashMap, Symbol};

/// What an ordinary identifier means.
#[derive(Clone, Debug)]
pub(crate) enum Binding {
    Var(VarId),
    Function(FuncId),
    Typedef(TypeId),
    Enumerator(i128, TypeId),
    /// Declared with something not supported: using it is unsupported, for this reason.
    Unsupported(String),
}

/// What a tag means. `TypeId` is the record type, or the integer type of a complete enum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Struct(TypeId),
    Union(TypeId),
    Enum(TypeId),
}

/// The scopes of one translation unit: file scope first, innermost block last.
#[derive(Debug)]
pub(crate) struct Scopes {
    stack: Vec<Scope>,
}

#[derive(Debug, Default)]
pub(crate) struct Scope {
    ordinary: FxHashMap<Symbol, Binding>,
    tags: FxHashMap<Symbol, Tag>,
    /// Alignments that `aligned(n)` gives to typedef names.
    typedef_aligns: FxHashMap<Symbol, u64>,
    /// Qualifiers of objects that typedef names declare.
    typedef_quals: FxHashMap<Symbol, Qualified>,
}

impl Scopes {
    pub(crate) fn new() -> Self {
        Self { stack: vec![Scope::default()] }
    }

    /// Forgets everything: a new translation unit begins.
    pub(crate) fn reset(&mut self) {
        *self = Self::new();
    }

    pub(crate) fn push(&mut self) {
        self.stack.push(Scope::default());
    }

    pub(crate) fn pop(&mut self) {
        if self.stack.len() > 1 {
            self.stack.pop();
        }
    }

    /// Takes the innermost scope away, to be put back later: the parameters of a function definition are
    /// declared before the function's own name is.
    pub(crate) fn take(&mut self) -> Scope {
        if self.stack.len() > 1 { self.stack.pop().unwrap_or_default() } else { Scope::default() }
    }

    pub(crate) fn restore(&mut self, scope: Scope) {
        self.stack.push(scope);
    }

    pub(crate) fn lookup(&self, name: Symbol) -> Option<&Binding> {
        self.stack.iter().rev().find_map(|scope| scope.ordinary.get(&name))
    }

    pub(crate) fn lookup_here(&self, name: Symbol) -> Option<&Binding> {
        self.stack.last()?.ordinary.get(&name)
    }

    pub(crate) fn lookup_at_file_scope(&self, name: Symbol) -> Option<&Binding> {
        self.stack.first()?.ordinary.get(&name)
    }

    pub(crate) fn bind(&mut self, name: Symbol, binding: Binding) {
        if let Some(scope) = self.stack.last_mut() {
            scope.ordinary.insert(name, binding);
        }
    }

    pub(crate) fn bind_at_file_scope(&mut self, name: Symbol, binding: Binding) {
        if let Some(scope) = self.stack.first_mut() {
            scope.ordinary.insert(name, binding);
        }
    }

    /// The alignment that the visible typedef `name` asks for, if it does.
    pub(crate) fn typedef_align(&self, name: Symbol) -> Option<u64> {
        let scope = self.stack.iter().rev().find(|scope| scope.ordinary.contains_key(&name))?;
        scope.typedef_aligns.get(&name).copied()
    }

    pub(crate) fn bind_typedef_align(&mut self, name: Symbol, align: Option<u64>) {
        if let (Some(scope), Some(align)) = (self.stack.last_mut(), align) {
            scope.typedef_aligns.insert(name, align);
        }
    }

    /// The qualifiers that the visible typedef `name` stands for.
    pub(crate) fn typedef_quals(&self, name: Symbol) -> Qualified {
        let scope = self.stack.iter().rev().find(|scope| scope.ordinary.contains_key(&name));
        scope.and_then(|scope| scope.typedef_quals.get(&name)).copied().unwrap_or_default()
    }

    pub(crate) fn bind_typedef_quals(&mut self, name: Symbol, quals: Qualified) {
        if let Some(scope) = self.stack.last_mut().filter(|_| quals != Qualified::default()) {
            scope.typedef_quals.insert(name, quals);
        }
    }

    pub(crate) fn lookup_tag(&self, name: Symbol) -> Option<Tag> {
        self.stack.iter().rev().find_map(|scope| scope.tags.get(&name)).copied()
    }

    pub(crate) fn lookup_tag_here(&self, name: Symbol) -> Option<Tag> {
        self.stack.last()?.tags.get(&name).copied()
    }

    pub(crate) fn bind_tag(&mut self, name: Symbol, tag: Tag) {
        if let Some(scope) = self.stack.last_mut() {
            scope.tags.insert(name, tag);
        }
    }

    /// Ordinary names that look like `name`, for suggestions; sorted.
    pub(crate) fn names(&self) -> Vec<Symbol> {
        let mut all: Vec<Symbol> =
            self.stack.iter().flat_map(|scope| scope.ordinary.keys().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Names with external linkage, across all translation units.
#[derive(Debug, Default)]
pub(crate) struct Linkage {
    pub(crate) functions: FxHashMap<Symbol, FuncId>,
    /// The same symbols under types that are not compatible with the first one's.
    pub(crate) retyped: FxHashMap<Symbol, Vec<FuncId>>,
    pub(crate) variables: FxHashMap<Symbol, VarId>,
    /// `va_arg` as one function for each type that is asked for.
    pub(crate) va_args: FxHashMap<TypeId, FuncId>,
}
