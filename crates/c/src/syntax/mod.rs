//! Lexer, parser and the untyped syntax tree.

pub mod ast;
pub mod dump;
mod lexer;
mod literals;
mod pack;
pub mod parser;
mod scan;
mod token;

pub use parser::parse;
