//! The store of hash-consed terms. Equal terms are equal ids; only this file makes them. A store is passed
//! around, never global: one for each engine and thread.

use crate::kind::{FunctionId, Kind, Node, Op, Quantifier, SymbolId};
use crate::sort::{ArraySort, FloatSort, Sort};
use dashu_int::IBig;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;
use summa_base::{FxHashMap, Id, IdVec, Interner, Symbol, define_id};

define_id! {
    /// A term of a [`Terms`] store.
    Term = "t";
}

/// A family of symbols.
#[derive(Clone, Debug)]
pub struct SymbolInfo {
    pub name: Symbol,
    pub sort: Sort,
}

/// An uninterpreted function.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    pub name: Symbol,
    pub args: Vec<Sort>,
    pub result: Sort,
}

/// Owns all terms.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: IdVec<Term, Node>,
    table: HashTable<Term>,
    symbols: IdVec<SymbolId, SymbolInfo>,
    symbol_ids: FxHashMap<(Symbol, Sort), SymbolId>,
    functions: IdVec<FunctionId, FunctionInfo>,
    function_ids: FxHashMap<Symbol, FunctionId>,
    array_sorts: IdVec<ArraySort, (Sort, Sort)>,
    array_ids: FxHashMap<(Sort, Sort), ArraySort>,
    names: Interner,
    /// Negations of comparisons in both directions, so that `a < b` and `b <= a` are known to be complements.
    pub(crate) negations: FxHashMap<Term, Term>,
    /// How many conditionals the running builder has gone through, see `boolean.rs`.
    pub(crate) conditional_depth: u32,
}

impl Terms {
    /// The constant `true`, the same in every store.
    pub const TRUE: Term = Term::constant(0);
    /// The constant `false`, the same in every store.
    pub const FALSE: Term = Term::constant(1);

    pub fn new() -> Self {
        let mut terms = Self {
            nodes: IdVec::new(),
            table: HashTable::new(),
            symbols: IdVec::new(),
            symbol_ids: FxHashMap::default(),
            functions: IdVec::new(),
            function_ids: FxHashMap::default(),
            array_sorts: IdVec::new(),
            array_ids: FxHashMap::default(),
            names: Interner::new(),
            negations: FxHashMap::default(),
            conditional_depth: 0,
        };
        let (yes, no) = (terms.intern(Kind::True, Sort::Bool), terms.intern(Kind::False, Sort::Bool));
        debug_assert!(yes == Self::TRUE && no == Self::FALSE, "constants are the first terms");
        terms
    }

    /// The term with this kind and sort. Builders in the sibling files simplify before they come here.
    pub(crate) fn intern(&mut self, kind: Kind, sort: Sort) -> Term {
        if let Kind::App(op, args) = &kind {
            return self.app(*op, args, sort);
        }
        let hash = hash_of(&kind, sort);
        let found = self.table.find(hash, |&term| {
            let node = &self.nodes[term];
            node.sort == sort && node.kind == kind
        });
        if let Some(&term) = found {
            return term;
        }
        self.insert(hash, kind, sort)
    }

    /// The application with these arguments. They are copied to the heap only if the term is new.
    pub(crate) fn app(&mut self, op: Op, args: &[Term], sort: Sort) -> Term {
        let hash = hash_of_app(op, args, sort);
        let found = self.table.find(hash, |&term| {
            let node = &self.nodes[term];
            node.sort == sort && matches!(&node.kind, Kind::App(o, a) if *o == op && **a == *args)
        });
        match found {
            Some(&term) => term,
            None => self.insert(hash, Kind::App(op, args.into()), sort),
        }
    }

    fn insert(&mut self, hash: u64, kind: Kind, sort: Sort) -> Term {
        let (size, is_ground) = match &kind {
            Kind::Symbol(..) => (1, false),
            Kind::App(_, args) => args.iter().fold((1u32, true), |(size, ground), &arg| {
                (size.saturating_add(self.nodes[arg].size), ground && self.nodes[arg].is_ground)
            }),
            Kind::Quantified(_, _, body) => (self.nodes[*body].size.saturating_add(1), false),
            Kind::True | Kind::False | Kind::Int(_) | Kind::Bv(_) | Kind::Float(_) => (1, true),
        };
        let term = self.nodes.push(Node { kind, sort, size, is_ground });
        let nodes = &self.nodes;
        self.table.insert_unique(hash, term, |&term| hash_of(&nodes[term].kind, nodes[term].sort));
        term
    }

    // ---- looking ----

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term]
    }

    pub fn kind(&self, term: Term) -> &Kind {
        &self.nodes[term].kind
    }

    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term].sort
    }

    /// The bits of a floating-point constant.
    pub fn as_float(&self, term: Term) -> Option<(FloatSort, u128)> {
        match (&self.nodes[term].kind, self.nodes[term].sort) {
            (Kind::Float(bits), Sort::Float(sort)) => Some((sort, *bits)),
            _ => None,
        }
    }

    /// A constant of Bool, Int, bit-vectors or floats. Two of these are equal only if they are the same term.
    pub fn is_constant(&self, term: Term) -> bool {
        matches!(
            self.nodes[term].kind,
            Kind::True | Kind::False | Kind::Int(_) | Kind::Bv(_) | Kind::Float(_)
        )
    }

    /// `false` or zero, of the sort of a term; None for arrays.
    pub fn zero_of(&mut self, term: Term) -> Option<Term> {
        match self.sort(term) {
            Sort::Bool => Some(Self::FALSE),
            Sort::Int => Some(self.int(0)),
            Sort::Bv(width) => Some(self.bv(width, 0)),
            Sort::Float(sort) => Some(self.float(sort, 0)),
            Sort::Array(_) => None,
        }
    }

    /// The arguments if `term` applies this operator.
    pub(crate) fn args_of<const N: usize>(&self, term: Term, op: Op) -> Option<[Term; N]> {
        match &self.nodes[term].kind {
            Kind::App(o, args) if *o == op => args.as_ref().try_into().ok(),
            _ => None,
        }
    }

    /// Operator and arguments of an application.
    pub fn as_app(&self, term: Term) -> Option<(Op, &[Term])> {
        match &self.nodes[term].kind {
            Kind::App(op, args) => Some((*op, args)),
            _ => None,
        }
    }

    pub fn as_int(&self, term: Term) -> Option<&IBig> {
        match &self.nodes[term].kind {
            Kind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Width and bits of a bit-vector constant.
    pub fn as_bv(&self, term: Term) -> Option<(u8, u128)> {
        match (&self.nodes[term].kind, self.nodes[term].sort) {
            (Kind::Bv(bits), Sort::Bv(width)) => Some((width, *bits)),
            _ => None,
        }
    }

    pub fn as_symbol(&self, term: Term) -> Option<(SymbolId, u32)> {
        match self.nodes[term].kind {
            Kind::Symbol(symbol, version) => Some((symbol, version)),
            _ => None,
        }
    }

    /// Number of terms made so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    // ---- symbols, functions, sorts ----

    /// The family of symbols with this name and sort.
    pub fn declare(&mut self, name: &str, sort: Sort) -> SymbolId {
        let name = self.names.intern(name);
        *self.symbol_ids.entry((name, sort)).or_insert_with(|| self.symbols.push(SymbolInfo { name, sort }))
    }

    pub fn symbol(&mut self, symbol: SymbolId, version: u32) -> Term {
        let sort = self.symbols[symbol].sort;
        self.intern(Kind::Symbol(symbol, version), sort)
    }

    pub fn symbol_info(&self, symbol: SymbolId) -> &SymbolInfo {
        &self.symbols[symbol]
    }

    pub fn symbol_name(&self, symbol: SymbolId) -> &str {
        self.names.text(self.symbols[symbol].name)
    }

    /// The uninterpreted function of this name; its signature is that of the first declaration.
    pub fn declare_function(&mut self, name: &str, args: Vec<Sort>, result: Sort) -> FunctionId {
        let name = self.names.intern(name);
        *self
            .function_ids
            .entry(name)
            .or_insert_with(|| self.functions.push(FunctionInfo { name, args, result }))
    }

    pub fn function_info(&self, function: FunctionId) -> &FunctionInfo {
        &self.functions[function]
    }

    pub fn function_name(&self, function: FunctionId) -> &str {
        self.names.text(self.functions[function].name)
    }

    pub fn apply(&mut self, function: FunctionId, args: &[Term]) -> Term {
        let info = &self.functions[function];
        let fits =
            args.len() == info.args.len() && args.iter().zip(&info.args).all(|(&a, &s)| self.sort(a) == s);
        assert!(fits, "arguments of {} do not have the declared sorts", self.names.text(info.name));
        let result = info.result;
        self.app(Op::Apply(function), args, result)
    }

    pub fn array_of(&mut self, index: Sort, element: Sort) -> Sort {
        let key = (index, element);
        Sort::Array(*self.array_ids.entry(key).or_insert_with(|| self.array_sorts.push(key)))
    }

    /// Index and element sort.
    pub fn array_sort(&self, sort: ArraySort) -> (Sort, Sort) {
        self.array_sorts[sort]
    }

    /// Quantifies over `symbols` (terms that are symbols); no symbols, no quantifier.
    pub fn quantify(&mut self, quantifier: Quantifier, symbols: &[Term], body: Term) -> Term {
        if symbols.is_empty() || self.nodes[body].is_ground {
            return body;
        }
        self.intern(Kind::Quantified(quantifier, symbols.into(), body), Sort::Bool)
    }
}

/// Hashes a kind like [`hash_of_app`] hashes the parts of an application.
fn hash_of(kind: &Kind, sort: Sort) -> u64 {
    match kind {
        Kind::App(op, args) => hash_of_app(*op, args, sort),
        _ => FxBuildHasher.hash_one((kind, sort)),
    }
}

fn hash_of_app(op: Op, args: &[Term], sort: Sort) -> u64 {
    FxBuildHasher.hash_one((op, args, sort))
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Term {
    const fn constant(index: u32) -> Self {
        Self(index)
    }
}

/// Terms as their numbers, for tables indexed by them.
impl From<Term> for usize {
    fn from(term: Term) -> Self {
        term.index()
    }
}
