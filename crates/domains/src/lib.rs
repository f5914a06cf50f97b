//! The abstract domains, one file each; [`registry`] names them all.
//!
//! Every domain is a [`summa_cpa::Cpa`] of its own; analyses are products of them.
//! Never: a decision about what to explore, a verdict, printing.

pub mod callstack;
pub mod interval;
pub mod location;
pub mod loop_bound;
pub mod path;
pub mod persistent;
pub mod predicate;
pub mod registry;
pub mod scalars;
pub mod sign;
pub mod specification;
pub mod value;

pub use registry::{AnyPrecision, AnyState, Domain};
