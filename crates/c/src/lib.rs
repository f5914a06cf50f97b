//! The C front end: from source files to a typed [`tree::Program`] without side effects.
//!
//! **What it is.** Crate `syntax` reads files into untyped trees. Here they are typed, lowered and linked.
//! [`load()`] does all of it: C11 with common GNU extensions, for ILP32 and LP64, with gcc's layout of types.
//! In the result, expressions are pure and hash-consed, every effect is a statement of its own, and every
//! conversion is explicit. Invalid C gives a [`Diagnostic`] with its place in the source. Valid C that is not
//! supported becomes an unsupported statement, so that only executions that get there are lost.
//!
//! ```
//! use summa_c::load_text;
//! use summa_c::types::DataModel;
//!
//! let source = "int main(void) { int x = 1; return x++ + 2; }";
//! let loaded = load_text("sum.c", source, DataModel::Lp64).expect("this is C");
//! assert_eq!(loaded.program.functions.values().count(), 1);
//! ```
//!
//! **What it must not know.** Automata, formulas, solvers, printing.
//!
//! **Where to start reading.** [`tree`] is the result, [`types`] its types. Then the way there: [`mod@load`],
//! and [`sema`] (types, layout, lowering). [`arith`] and [`float`] define exact arithmetic for the whole
//! workspace.

pub mod arith;
pub mod float;
pub mod fold;
pub mod load;
pub mod print;
pub mod sema;
pub mod tree;
pub mod types;
mod unify;

pub use load::{LoadFailure, LoadOptions, Loaded, load, load_each, load_text, load_texts};
// What a loaded program and its options are made of.
pub use summa_syntax::{CompilerOptions, Diagnostic, Dialect, Severity, SourceMap, Span};
