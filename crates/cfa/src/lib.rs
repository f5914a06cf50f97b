//! Control-flow automata, one per function: what they are, how they are built, their invariants, their names.
//!
//! [`build::build_with`] builds once, with the calls through pointers that are known so far. Which those are
//! takes an analysis of pointers, so the entry point that everybody calls is `summa_transform::build`.
//!
//! Never: facts about the automata (`summa_facts`), formulas, solvers, abstract states. Nothing changes an
//! automaton after it is frozen: a transformation (`summa_transform`) makes another program.

pub mod build;
pub mod cfa;
pub mod environment;
pub mod export;
pub mod library;
pub mod members;
pub mod names;
mod print;
pub mod syntax;
pub mod verify;

pub use build::{BuildError, BuildOptions};
pub use cfa::{
    AssumeOrigin, Automaton, Cfa, Checks, Edge, EdgeId, ErrorKind, HaltKind, HavocSource, Node, NodeId,
    NodeKind, Op,
};
pub use library::LibFn;
