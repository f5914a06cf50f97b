//! The engines: assembled from the parts below, each a configuration or a plain function over them.
//!
//! [`run()`] takes a [`config::Config`] and a [`Task`] and answers with a [`Report`].
//! Never: printing, files, the command line.

pub mod assemble;
pub mod config;
pub mod contents;
pub mod contracts;
pub mod counterexample;
pub mod encoding_choice;
pub mod explore;
pub mod graph;
pub mod invariants;
mod judge;
pub mod k_induction;
mod only_execution;
pub mod progress;
pub mod proof;
pub mod run;
pub mod saved;
pub mod shared;
pub mod stats;
pub mod summarise;
pub mod task;
mod unrolling;

pub use config::Config;
pub use contents::ContractId;
pub use contracts::Contract;
pub use run::run;
pub use saved::Archive;
pub use summa_bam::Clause;
pub use task::{Choice, Claim, Outcome, Reason, Replay, Report, Task};
