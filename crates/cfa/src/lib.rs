//! Control-flow automata, one per function: what they are and how they are built.
//!
//! **What it is.** A [`Cfa`] holds the automata of a program. Its nodes are locations, and its edges carry
//! operations ([`Op`]): assignments, assumptions, calls, errors. A synthetic function initialises static
//! storage and calls the entry function. The environment's choices and the checks that a property asks for
//! are edges too. So every engine sees them in the same way. A finished [`Cfa`] is frozen: facts live beside
//! it, in tables indexed by [`NodeId`] and [`EdgeId`], and a transformation makes another program.
//!
//! **What it must not know.** Facts about the automata (`summa_facts`), formulas, solvers, abstract states.
//!
//! **Where to start reading.** [`mod@cfa`] has the types, and [`verify`] the invariants that hold for all of
//! them. [`library`] says what functions without a body mean, [`environment`] what the environment may do.
//! Then [`build`]: it builds once, with the calls through pointers that are known so far. Which calls these
//! are takes an analysis of pointers, so the entry point for all callers is `summa_transform::build`.
//! [`names`] gives names that outlive a change elsewhere, [`export`] shows automata to people and programs.

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
