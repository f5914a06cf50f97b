//! The C front end: from source files to a typed, side-effect-free [`tree::Program`].
//!
//! Text is preprocessed if it needs it ([`preprocess`]), read into an untyped tree ([`syntax`]), then typed
//! and lowered ([`sema`]) so that expressions are pure and every effect is a statement of its own. Never:
//! automata, formulas, solvers, printing.

mod align;
pub mod arith;
pub mod diagnostic;
pub mod float;
pub mod fold;
pub mod gcc_options;
pub mod load;
pub mod preprocess;
pub mod print;
pub mod sema;
pub mod source;
pub mod span;
pub mod syntax;
pub mod tree;
pub mod types;
mod unify;

pub use diagnostic::{Diagnostic, Severity};
pub use gcc_options::{CompilerOptions, Dialect};
pub use load::{LoadFailure, LoadOptions, Loaded, load, load_each, load_text, load_texts};
pub use span::Span;
