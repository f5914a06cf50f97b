//! The abstract domains, one file each; [`registry`] names them all.
//!
//! Every domain is a [`summa_cpa::Cpa`] of its own; analyses are products of them.
//! Never: a decision about what to explore, a verdict, printing.

mod block_vars;
pub mod callstack;
mod constants;
mod contract;
pub mod interval;
pub mod linear;
pub mod location;
pub mod loop_bound;
pub mod octagon;
pub mod path;
pub mod persistent;
mod portable;
pub mod predicate;
pub mod reductions;
pub mod registry;
mod relational;
pub mod says;
pub mod scalars;
pub mod sign;
pub mod specification;
pub mod value;

pub use registry::{AnyPrecision, AnyState, Domain};
