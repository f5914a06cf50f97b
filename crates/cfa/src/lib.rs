//! Control-flow automata, one per function, and what can be known about them before any engine runs.
//!
//! Never: formulas, solvers, abstract states; nothing changes an automaton after it is frozen.

pub mod analysis;
pub mod build;
pub mod cells;
pub mod cfa;
pub mod environment;
pub mod export;
pub mod library;
pub mod members;
pub mod names;
mod print;
mod promote;
pub mod verify;

pub use build::{BuildError, BuildOptions, build};
pub use cfa::{
    AssumeOrigin, Automaton, Cfa, Checks, Edge, EdgeId, ErrorKind, HaltKind, HavocSource, Node, NodeId,
    NodeKind, Op,
};
pub use library::LibFn;
