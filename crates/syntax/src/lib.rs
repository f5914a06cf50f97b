//! The reading of C: from files to an untyped tree.
//!
//! **What it is.** Options of compilers say how a file is read ([`gcc_options`]). A file with directives goes
//! through the system's preprocessor ([`preprocess`]). Its text is kept together with the places that its
//! line markers name ([`source`]). Then it is split into tokens and parsed ([`parse`]) into a tree in arenas
//! ([`ast`]). In the tree nothing is resolved, except which names are types. An error in a text becomes a
//! [`Diagnostic`] with a [`Span`].
//!
//! **What it must not know.** Types, layout, the meaning of an expression. Crate `c` gives the tree its
//! meaning.
//!
//! **Where to start reading.** [`ast`] is the result. `lexer.rs` and `parser` make it. Then [`source`] with
//! [`Span`], and [`preprocess`] for files that need it; [`dump`] shows a tree as text.

mod align;
pub mod ast;
mod data_model;
mod diagnostic;
pub mod dump;
pub mod gcc_options;
mod lexer;
mod literals;
mod pack;
mod parser;
pub mod preprocess;
mod scan;
pub mod source;
mod span;
mod token;

pub use data_model::DataModel;
pub use diagnostic::{Diagnostic, ReadingLimit, Severity};
pub use gcc_options::{CompilerOptions, Dialect};
pub use parser::parse;
pub use preprocess::PreprocessOptions;
pub use source::{FileIx, SourceMap};
pub use span::Span;
