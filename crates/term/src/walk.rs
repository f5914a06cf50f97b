//! Looking through terms: symbols, atoms, conjuncts, sizes, negation normal form. Terms are deep, so nothing
//! here recurses; they share, so every node is visited once.

use crate::kind::{Kind, Op};
use crate::sort::Sort;
use crate::store::{Term, Terms};
use summa_base::{FxHashMap, FxHashSet};

impl Terms {
    /// All different subterms, children before parents, each once. Bound symbols and bodies of quantifiers
    /// count.
    pub fn post_order(&self, roots: &[Term]) -> Vec<Term> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, children_done)) = stack.pop() {
            if children_done {
                order.push(term);
            } else if seen.insert(term) {
                stack.push((term, true));
                stack.extend(self.children(term).iter().rev().map(|&child| (child, false)));
            }
        }
        order
    }

    /// The arguments of an application, the body of a quantifier.
    pub fn children(&self, term: Term) -> &[Term] {
        match self.kind(term) {
            Kind::App(_, args) => args,
            Kind::Quantified(_, _, body) => std::slice::from_ref(body),
            _ => &[],
        }
    }

    /// Calls `visit` for every different subterm, parents first, as long as it returns true; does it always?
    fn all_subterms(&self, root: Term, mut visit: impl FnMut(Term) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![root];
        while let Some(term) = todo.pop() {
            if seen.insert(term) {
                if !visit(term) {
                    return false;
                }
                todo.extend_from_slice(self.children(term));
            }
        }
        true
    }

    /// Number of different subterms. [`crate::Node::size`] counts them as a tree.
    pub fn size(&self, term: Term) -> usize {
        let mut count = 0;
        self.all_subterms(term, |_| {
            count += 1;
            true
        });
        count
    }

    /// Does an operator with this property occur?
    pub fn contains_op(&self, term: Term, wanted: impl Fn(Op) -> bool) -> bool {
        !self.all_subterms(term, |subterm| !matches!(self.kind(subterm), Kind::App(op, _) if wanted(*op)))
    }

    /// The symbols that occur free, sorted. [`SymbolSets`] remembers them.
    pub fn free_symbols(&self, term: Term) -> Vec<Term> {
        SymbolSets::default().of(self, term).to_vec()
    }

    /// The atoms of a formula: what is below `and`, `or`, `not`, boolean `=` and `ite`. Sorted; no constants.
    pub fn atoms(&self, formula: Term) -> Vec<Term> {
        let mut atoms = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![formula];
        while let Some(term) = todo.pop() {
            if self.is_constant(term) || !seen.insert(term) {
                continue;
            }
            match self.connective(term) {
                Some((_, args)) => todo.extend_from_slice(args),
                None => atoms.push(term),
            }
        }
        atoms.sort_unstable();
        atoms
    }

    /// Operator and arguments of a formula over formulas.
    pub fn connective(&self, term: Term) -> Option<(Op, &[Term])> {
        let (op, args) = self.as_app(term)?;
        let boolean = match op {
            Op::Not | Op::And | Op::Or => true,
            Op::Ite | Op::Eq => self.sort(args[args.len() - 1]) == Sort::Bool,
            _ => false,
        };
        boolean.then_some((op, args))
    }

    /// The members of a conjunction, nested ones included, in order of occurrence and without duplicates;
    /// none for `true`.
    pub fn conjuncts(&self, formula: Term) -> Vec<Term> {
        self.members(Op::And, formula)
    }

    /// The members of a disjunction; none for `false`.
    pub fn disjuncts(&self, formula: Term) -> Vec<Term> {
        self.members(Op::Or, formula)
    }

    fn members(&self, op: Op, formula: Term) -> Vec<Term> {
        let neutral = self.bool(op == Op::And);
        let mut members = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![formula];
        while let Some(term) = todo.pop() {
            if term == neutral || !seen.insert(term) {
                continue;
            }
            match self.as_app(term) {
                Some((found, args)) if found == op => todo.extend(args.iter().rev()),
                _ => members.push(term),
            }
        }
        members
    }

    /// Negation normal form: only `and` and `or` over atoms and negated atoms. Quantified formulas are atoms.
    pub fn nnf(&mut self, formula: Term) -> Term {
        // What a formula is under each polarity: a junction of other formulas with polarities.
        let mut memo: FxHashMap<(Term, bool), Term> = FxHashMap::default();
        let mut stack = vec![(formula, true)];
        while let Some(&(term, positive)) = stack.last() {
            if memo.contains_key(&(term, positive)) {
                stack.pop();
                continue;
            }
            let parts: Vec<(Term, bool)> = match self.connective(term) {
                None => Vec::new(),
                Some((Op::Not, args)) => vec![(args[0], !positive)],
                Some((Op::And | Op::Or, args)) => args.iter().map(|&arg| (arg, positive)).collect(),
                Some((Op::Ite, &[c, a, b])) => vec![(c, true), (a, positive), (c, false), (b, positive)],
                // a = b is ite(a, b, ¬b).
                Some((_, &[a, b])) => vec![(a, true), (b, positive), (a, false), (b, !positive)],
                Some(_) => Vec::new(),
            };
            let mut ready = Vec::with_capacity(parts.len());
            for part in &parts {
                match memo.get(part) {
                    Some(&done) => ready.push(done),
                    None => stack.push(*part),
                }
            }
            if ready.len() < parts.len() {
                continue;
            }
            let result = match (self.connective(term).map(|(op, _)| op), &ready[..]) {
                (Some(Op::Not), &[inner]) => inner,
                (Some(Op::And), parts) if positive => self.and(parts),
                (Some(Op::And), parts) => self.or(parts),
                (Some(Op::Or), parts) if positive => self.or(parts),
                (Some(Op::Or), parts) => self.and(parts),
                (_, &[c, a, not_c, b]) => {
                    let (then, otherwise) = (self.and2(c, a), self.and2(not_c, b));
                    self.or2(then, otherwise)
                }
                _ if positive => term,
                _ => self.not(term),
            };
            memo.insert((term, positive), result);
            stack.pop();
        }
        memo[&(formula, true)]
    }
}

/// Free symbols of terms, remembered for the terms that were asked for.
#[derive(Clone, Debug, Default)]
pub struct SymbolSets {
    sets: FxHashMap<Term, Box<[Term]>>,
}

impl SymbolSets {
    pub fn new() -> Self {
        Self::default()
    }

    /// The symbols that occur free in `term`, sorted.
    pub fn of(&mut self, terms: &Terms, term: Term) -> &[Term] {
        if !self.sets.contains_key(&term) {
            // Bodies of quantifiers first, so that the symbols they bind do not leak; inner ones come first.
            for quantified in terms.post_order(&[term]) {
                if let Kind::Quantified(_, bound, body) = terms.kind(quantified) {
                    let mut free = self.collect(terms, *body);
                    free.retain(|symbol| !bound.contains(symbol));
                    self.sets.insert(quantified, free.into());
                }
            }
            let free = self.collect(terms, term);
            self.sets.insert(term, free.into());
        }
        &self.sets[&term]
    }

    /// Symbols of the term, where known sets stand for the subterms they belong to.
    fn collect(&self, terms: &Terms, term: Term) -> Vec<Term> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut todo = vec![term];
        while let Some(next) = todo.pop() {
            if terms.node(next).is_ground || !seen.insert(next) {
                continue;
            }
            match self.sets.get(&next) {
                Some(known) => found.extend_from_slice(known),
                None if terms.as_symbol(next).is_some() => found.push(next),
                None => todo.extend_from_slice(terms.children(next)),
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}
