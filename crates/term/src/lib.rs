//! Hash-consed, typed SMT terms: booleans, integers, bit-vectors, IEEE floats, arrays, uninterpreted
//! functions.
//!
//! Builders simplify locally; substitution, free symbols, evaluation and printing are beside them.
//! Never: a solver, a program, a global store.

mod array;
pub mod bits;
mod boolean;
mod bv;
mod bv_compare;
mod bv_logic;
mod bv_width;
mod cases;
pub mod eval;
mod float;
mod int;
pub mod kind;
pub mod linear;
pub mod polynomial;
pub mod portable;
pub mod semantics;
pub mod smtlib;
pub mod soft_float;
pub mod sort;
pub mod store;
pub mod substitute;
pub mod to_c;
pub mod value;
pub mod walk;

pub use eval::{Assignment, Evaluator};
pub use kind::{FloatOp, FunctionId, Kind, Node, Op, Quantifier, Rounding, SymbolId};
pub use linear::{Linear, Range};
pub use polynomial::{Ideal, Polynomial, Ring};
pub use sort::{ArraySort, FloatSort, Sort};
pub use store::{Term, Terms};
pub use substitute::Renaming;
pub use value::{ArrayValue, Value};
pub use walk::SymbolSets;
