//! Lexer, parser and the untyped syntax tree.

pub mod ast;
pub mod dump;
mod lexer;
mod literals;
pub mod parser;
mod scan;
mod token;

pub use parser::parse;
