//! Automata for people and for other programs.

pub mod dot;
pub mod json;

use crate::cfa::NodeId;
use summa_c::tree::FuncId;

/// The part of the automata that is shown, with annotations.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// None: all functions.
    pub functions: Option<&'a [FuncId]>,
    /// Heads of loops, of the source or of gotos.
    pub is_loop_head: &'a dyn Fn(NodeId) -> bool,
    pub locate: Locate<'a>,
}

impl View<'_> {
    fn shows(&self, function: FuncId) -> bool {
        self.functions.is_none_or(|list| list.contains(&function))
    }
}

/// A place in the source as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Location {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// Finds the place that a span stands for; none for what no source stands for.
pub type Locate<'a> = &'a dyn Fn(summa_c::Span) -> Option<Location>;
