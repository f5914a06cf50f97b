//! The C front end: from source files to a typed, side-effect-free [`tree::Program`].
//!
//! Crate `syntax` reads files into an untyped tree; here it is typed and lowered ([`sema`]), so that
//! expressions are pure and every effect is a statement of its own, and the files are linked. Never: automata,
//! formulas, solvers, printing.

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
