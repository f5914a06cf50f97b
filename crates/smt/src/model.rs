//! Models: values of symbols and tables of functions.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use summa_term::{Assignment, FunctionId, Sort, SymbolId, Term, Terms, Value};

/// Values for symbols and functions. A symbol without a value has the first one of its sort (`false`, zero),
/// so that a model also says something about formulas that the solver has not seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: BTreeMap<(SymbolId, u32), Value>,
    functions: FxHashMap<FunctionId, FunctionTable>,
}

/// A function that is constant except for finitely many arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionTable {
    default: Value,
    entries: BTreeMap<Vec<Value>, Value>,
}

impl FunctionTable {
    pub fn new(default: Value) -> Self {
        Self { default, entries: BTreeMap::new() }
    }

    pub fn set(&mut self, args: Vec<Value>, value: Value) {
        self.entries.insert(args, value);
    }

    pub fn get(&self, args: &[Value]) -> &Value {
        self.entries.get(args).unwrap_or(&self.default)
    }
}

impl Model {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn set(&mut self, symbol: SymbolId, version: u32, value: Value) {
        self.values.insert((symbol, version), value);
    }

    pub fn set_function(&mut self, function: FunctionId, table: FunctionTable) {
        self.functions.insert(function, table);
    }

    /// The value that the model has for this symbol.
    pub fn get(&self, symbol: SymbolId, version: u32) -> Option<&Value> {
        self.values.get(&(symbol, version))
    }

    /// All symbols with values, in order.
    pub fn values(&self) -> impl Iterator<Item = (SymbolId, u32, &Value)> {
        self.values.iter().map(|(&(symbol, version), value)| (symbol, version, value))
    }

    /// The value of a term.
    pub fn eval(&self, terms: &Terms, term: Term) -> Option<Value> {
        terms.eval(term, self)
    }

    /// The truth of a formula.
    pub fn is_true(&self, terms: &Terms, formula: Term) -> Option<bool> {
        self.eval(terms, formula)?.as_bool()
    }
}

impl Assignment for Model {
    fn value(&self, symbol: SymbolId, version: u32, sort: Sort) -> Option<Value> {
        match self.values.get(&(symbol, version)) {
            Some(value) => Some(value.clone()),
            None => first_value(sort),
        }
    }

    fn function(&self, function: FunctionId, args: &[Value]) -> Option<Value> {
        self.functions.get(&function).map(|table| table.get(args).clone())
    }
}

/// `false` or zero. Arrays have none here: their element sort is not known without the store.
fn first_value(sort: Sort) -> Option<Value> {
    Some(match sort {
        Sort::Bool => Value::Bool(false),
        Sort::Int => Value::Int(0.into()),
        Sort::Bv(width) => Value::Bv(width, 0),
        Sort::Float(float) => Value::Float(float, 0),
        Sort::Array(_) => return None,
    })
}
