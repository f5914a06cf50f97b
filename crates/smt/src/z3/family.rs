//! One Z3 context with the terms converted to it. Solvers, Horn engine and elimination of one engine share
//! it, so that each term is converted once.
//!
//! Limits: a family serves one [`Terms`] store and one thread.

use super::native::{Ast, Context, Decl, NativeError, Result};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::{Rc, Weak};
use summa_base::IdMap;
use summa_term::{FunctionId, Kind, Op, Sort, Term, Terms};

/// A context of Z3 for one term store. Cloning gives another handle of the same.
#[derive(Clone)]
pub struct Family {
    pub(crate) context: Rc<Context>,
    tables: Rc<RefCell<Tables>>,
}

#[derive(Default)]
struct Tables {
    natives: IdMap<Term, Option<Ast>>,
    functions: FxHashMap<FunctionId, Decl>,
    /// Back from Z3's numbers, for reading what it makes. Valid because the tables keep these terms alive.
    symbols: FxHashMap<u32, Term>,
    applied: FxHashMap<u32, FunctionId>,
}

thread_local! {
    /// The last context of this thread, as long as it is in use.
    static LAST: RefCell<Weak<Context>> = const { RefCell::new(Weak::new()) };
}

impl Family {
    /// # Errors
    /// Z3 could not make a context: no memory.
    pub fn new() -> std::result::Result<Self, NativeError> {
        let context = Context::new()?;
        LAST.set(Rc::downgrade(&context));
        Ok(Self { context, tables: Rc::default() })
    }

    /// The same, in the last context of this thread if that still exists, because making a context takes
    /// longer than a few easy questions. Terms and solvers still belong to this family alone.
    ///
    /// # Errors
    /// Z3 could not make a context: no memory.
    pub fn beside_the_last() -> std::result::Result<Self, NativeError> {
        match LAST.with_borrow(Weak::upgrade) {
            Some(context) => Ok(Self { context, tables: Rc::default() }),
            None => Self::new(),
        }
    }

    /// The memory that Z3 uses in this process, in bytes.
    pub fn allocated() -> u64 {
        Context::allocated()
    }

    /// The term in Z3. Iterative: the depth of terms is not bounded by the stack.
    pub(crate) fn native(&self, terms: &Terms, term: Term) -> Result<Ast> {
        let mut tables = self.tables.borrow_mut();
        if let Some(known) = &tables.natives[term] {
            return Ok(known.clone());
        }
        let mut stack = vec![term];
        while let Some(&top) = stack.last() {
            if tables.natives[top].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            match terms.kind(top) {
                Kind::App(_, args) => stack.extend(args.iter().filter(|&&arg| tables.natives[arg].is_none())),
                Kind::Quantified(_, bound, body) => {
                    stack.extend(bound.iter().chain([body]).filter(|&&arg| tables.natives[arg].is_none()));
                }
                _ => {}
            }
            if stack.len() > before {
                continue; // the arguments first
            }
            let made = self.make(&mut tables, terms, top)?;
            tables.natives.set(top, Some(made));
            stack.pop();
        }
        tables.natives[term].clone().ok_or_else(|| NativeError("a term was not converted".into()))
    }

    /// One node whose arguments are converted.
    fn make(&self, tables: &mut Tables, terms: &Terms, term: Term) -> Result<Ast> {
        let context = &self.context;
        let sort = terms.sort(term);
        let done = |tables: &Tables, args: &[Term]| -> Result<Vec<Ast>> {
            let missing = || NativeError("an argument was not converted".into());
            args.iter().map(|&arg| tables.natives[arg].clone().ok_or_else(missing)).collect()
        };
        match terms.kind(term) {
            Kind::True => context.boolean(true),
            Kind::False => context.boolean(false),
            Kind::Int(value) => match i64::try_from(value) {
                Ok(small) => context.small_numeral(terms, small, sort),
                Err(_) => context.numeral(terms, &value.to_string(), sort),
            },
            Kind::Bv(bits) => match i64::try_from(*bits) {
                Ok(small) => context.small_numeral(terms, small, sort),
                Err(_) => context.numeral(terms, &bits.to_string(), sort),
            },
            Kind::Float(bits) => match sort {
                Sort::Float(float) => context.float(terms, *bits, float),
                _ => Err(NativeError("float constant without a float sort".into())),
            },
            Kind::Symbol(symbol, version) => {
                // The version is always there and last, so different symbols never get one name.
                let name = format!("{}@{version}", terms.symbol_name(*symbol));
                let made = context.constant(terms, &name, sort)?;
                tables.symbols.insert(made.id(), term);
                Ok(made)
            }
            Kind::App(op, args) => {
                let natives = done(tables, args)?;
                let function = match *op {
                    Op::Apply(function) => Some(self.declare(tables, terms, function)?),
                    _ => None,
                };
                context.apply(terms, *op, &natives, sort, function.as_ref())
            }
            Kind::Quantified(quantifier, bound, body) => {
                let bound = done(tables, bound)?;
                let body = tables.natives[*body].clone();
                let body = body.ok_or_else(|| NativeError("a body was not converted".into()))?;
                context.quantify(*quantifier, &bound, &body)
            }
        }
    }

    fn declare(&self, tables: &mut Tables, terms: &Terms, function: FunctionId) -> Result<Decl> {
        if let Some(known) = tables.functions.get(&function) {
            return Ok(known.clone());
        }
        let info = terms.function_info(function);
        // `#` keeps functions apart from the symbols above and from what Z3 invents.
        let name = format!("{}#function", terms.function_name(function));
        let decl = self.context.function(terms, &name, &info.args, info.result)?;
        tables.applied.insert(decl.id(), function);
        tables.functions.insert(function, decl.clone());
        Ok(decl)
    }

    /// The declaration of a function that was converted.
    pub(crate) fn declaration(&self, terms: &Terms, function: FunctionId) -> Result<Decl> {
        self.declare(&mut self.tables.borrow_mut(), terms, function)
    }

    /// Our symbol that became this constant of Z3.
    pub(crate) fn symbol_of(&self, constant: &Ast) -> Option<Term> {
        self.tables.borrow().symbols.get(&constant.id()).copied()
    }

    pub(crate) fn function_of(&self, function: &Decl) -> Option<FunctionId> {
        self.tables.borrow().applied.get(&function.id()).copied()
    }
}
