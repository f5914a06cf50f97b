//! Hash-consed, typed SMT terms: booleans, integers, bit-vectors, IEEE floats, arrays, uninterpreted functions.
//!
//! Builders simplify locally; substitution, free symbols, evaluation and printing are beside them.
//! Never: a solver, a program, a global store.

pub mod kind;
pub mod sort;
pub mod store;

pub use kind::{FunctionId, Kind, Node, Op, Quantifier, Rounding, SymbolId};
pub use sort::{ArraySort, FloatSort, Sort};
pub use store::{Term, Terms};
