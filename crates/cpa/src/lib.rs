//! Configurable program analysis: the framework in which all domains and algorithms meet.
//!
//! Paper: Beyer, Dangl, Wendler, *A Unifying View on SMT-Based Software Verification*, JAR 2018. [`cpa`] has
//! the operators of its Section 2.2, [`algorithm`] its Algorithm 2, [`mod@cegar`] its Algorithm 4,
//! [`product`] the composite of Section 2.2.2,
//! [`query`] what its components ask each other; [`reached`] is the flat set `reached` together with the ARG
//! over it.
//!
//! **What it must not know.** What is in an edge, solvers, the name of any domain.
//!
//! **Where to start reading.** [`mod@cpa`] has the operators, [`algorithm`] the paper's lines one by one.
//! Then [`reached`], [`waitlist`], [`product`] and [`mod@cegar`]. [`portable`] makes states data for other
//! runs.

pub mod algorithm;
pub mod cegar;
pub mod cpa;
pub mod export;
pub mod moves;
mod partition;
pub mod portable;
pub mod product;
pub mod query;
pub mod rank;
pub mod reached;
pub mod stats;
pub mod waitlist;

pub use algorithm::{CpaPlusPlus, Successor, add_successor, cpa_plus_plus};
pub use cegar::{Outcome, Refinement, Refiner, cegar};
pub use cpa::{Arrival, Cpa, Key, Signature, Stop};
pub use moves::{Move, Step};
pub use partition::Place;
pub use portable::{Misfit, Portable};
pub use product::{Component, Product, Reduction};
pub use query::{Answer, Nobody, Oracle, Query};
pub use reached::{ArgId, ArgNode, Reached, Status};
pub use stats::{Operator, Uses};
pub use waitlist::{Layer, Waitlist};
