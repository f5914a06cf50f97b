//! Automata for people and for other programs.

pub mod dot;
pub mod json;

/// A place in the source as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Finds the place that a span stands for; none for what no source stands for.
pub type Locate<'a> = &'a dyn Fn(summa_c::Span) -> Option<Location>;
