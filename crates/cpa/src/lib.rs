//! Configurable program analysis: the framework in which all domains and algorithms meet.
//!
//! **What it is.** Paper: Beyer, Dangl, Wendler, *A Unifying View on SMT-Based Software Verification*, JAR
//! 2018.
//! * A [`Cpa`] is a domain with its operators (Section 2.2).
//! * [`cpa_plus_plus`] grows a set of reached abstract states (Algorithm 2).
//! * [`mod@cegar`] refines around it (Algorithm 4).
//! * A [`Product`] composes domains (Section 2.2.2), with reductions between them and [`query`]s.
//! * [`Reached`] is the set `reached`, together with the abstract reachability graph (ARG) over it.
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
