//! The reading of C: from files to an untyped tree.
//!
//! Options of compilers ([`gcc_options`]) say how a file is to be read; a file that has directives goes
//! through the system's preprocessor ([`preprocess`]); the text is kept with the places that its line markers
//! name ([`source`]), taken apart into tokens, and parsed ([`parse`]) into a tree in arenas ([`ast`]). In that
//! tree nothing is resolved but which names are types. What is wrong with a text becomes a [`Diagnostic`]
//! with a [`Span`].
//!
//! Never: types, layout, the meaning of an expression. Crate `c` gives the tree its meaning.
//!
//! Start reading at [`parse`], then [`ast`].

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
