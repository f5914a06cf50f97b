//! The abstract domains, one file or folder each, with their refiners.
//!
//! **What it is.** Every domain is a [`summa_cpa::Cpa`]; analyses are products of them. [`registry`] names
//! them all.
//! * *Control*: [`location`], [`callstack`], [`loop_bound`], [`specification`].
//! * *Values of single scalars*: [`value`] (constants), [`interval`], [`sign`]; the last two are instances of
//!   [`scalars`].
//! * *Relations*: [`octagon`], [`linear`] (equations modulo 2³²), [`predicate`] (formulas, with a solver).
//!
//! **What it must not know.** What to explore, verdicts, printing. Domains do not know each other, except in
//! [`reductions`].
//!
//! **Where to start reading.** [`location`] is the shortest domain. [`sign`] is the example that
//! CONTRIBUTING.md follows, on top of [`scalars`]. [`says`] has what domains say to engines. [`predicate`] is
//! the domain of the paper, with BMC, k-induction, IMPACT and symbolic execution as settings.

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
