//! SMT terms: typed, hash-consed, and simplified while they are built.
//!
//! **What it is.** A [`Terms`] store owns all terms of one engine. A [`Term`] is a number in it, so equal
//! terms are equal numbers. The sorts are booleans, integers, bit-vectors, IEEE floats, arrays, and
//! uninterpreted functions ([`Sort`]). Builders are methods of the store and simplify locally. Terms can be
//! substituted, renamed, evaluated, printed as SMT-LIB, and saved for another store.
//!
//! ```
//! use summa_term::{Sort, Terms, smtlib};
//!
//! let mut terms = Terms::new();
//! let x = terms.declare("x", Sort::Int);
//! let x = terms.symbol(x, 0);
//! let (one, three, four) = (terms.int(1), terms.int(3), terms.int(4));
//!
//! // Builders normalise: x - 1 <= 3 and x <= 4 are one term.
//! let difference = terms.sub(x, one);
//! let bound = terms.le(difference, three);
//! assert_eq!(bound, terms.le(x, four));
//! // A symbol is printed with its version.
//! assert_eq!(smtlib::print(&terms, bound), "(<= x@0 4)");
//! ```
//!
//! **What it must not know.** Solvers, C, automata. There is no global store.
//!
//! **Where to start reading.** [`kind`] has the operators and what they mean, [`store`] the store. Builders
//! are in one file for each theory (`boolean.rs`, `int.rs`, `bv.rs`, `float.rs`, `array.rs`); [`linear`] has
//! the normal form of integer sums, [`polynomial`] sums of products. Then [`substitute`], [`eval`], [`walk`],
//! and for other stores and tools [`portable`], [`smtlib`] and [`to_c`].

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
