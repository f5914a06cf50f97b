//! The plan of an initialiser: which expression gives which subobject its value.

use crate::types::TypeId;
use std::collections::BTreeMap;
use summa_syntax::Span;
use summa_syntax::ast;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Field(u32),
    Index(u64),
}

/// A value that initialises one subobject, or several by a range designator. Evaluated once, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Expr(ast::ExprId),
    /// One unit of a string literal.
    Unit(u32, Span),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Index into [`Plan::sources`].
    pub(crate) source: usize,
    pub(crate) ty: TypeId,
}

#[derive(Debug)]
pub(crate) struct Plan {
    /// The object's type, with the length that the initialiser gives to an array without one.
    pub(crate) ty: TypeId,
    pub(crate) sources: Vec<Source>,
    pub(crate) entries: BTreeMap<Vec<Step>, Entry>,
}

impl Plan {
    pub(crate) fn add(&mut self, path: Vec<Step>, source: Source, ty: TypeId) {
        self.entries.insert(path, Entry { source: self.sources.len(), ty });
        self.sources.push(source);
    }

    /// The entries for an object and its parts.
    pub(crate) fn below<'p>(
        &'p self,
        prefix: &'p [Step],
    ) -> impl Iterator<Item = (&'p Vec<Step>, &'p Entry)> {
        self.entries.range(prefix.to_vec()..).take_while(move |(path, _)| path.starts_with(prefix))
    }

    pub(crate) fn remove_below(&mut self, prefix: &[Step]) {
        let old: Vec<Vec<Step>> = self.below(prefix).map(|(path, _)| path.clone()).collect();
        for path in old {
            self.entries.remove(&path);
        }
    }

    pub(crate) fn keep_only_member(&mut self, union: &[Step], member: u32) {
        let is_other =
            |path: &Vec<Step>| path.get(union.len()).is_some_and(|step| *step != Step::Field(member));
        let old: Vec<Vec<Step>> =
            self.below(union).map(|(path, _)| path).filter(|path| is_other(path)).cloned().collect();
        for path in old {
            self.entries.remove(&path);
        }
    }

    /// Entries in the order of evaluation.
    pub(crate) fn in_order(&self) -> Vec<(&[Step], Entry)> {
        let mut entries: Vec<(&[Step], Entry)> =
            self.entries.iter().map(|(p, e)| (p.as_slice(), *e)).collect();
        entries.sort_by_key(|(_, entry)| entry.source);
        entries
    }
}
