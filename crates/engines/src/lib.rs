//! The engines: assembled from the parts below, each a configuration or a plain function over them.
//!
//! [`run()`] takes a [`config::Config`] and a [`Task`] and answers with a [`Report`].
//! Never: printing, files, the command line.

pub mod assemble;
pub mod config;
pub mod counterexample;
pub mod encoding_choice;
pub mod explore;
pub mod graph;
pub mod invariants;
pub mod k_induction;
pub mod progress;
pub mod run;
pub mod stats;
pub mod task;
mod unrolling;

pub use config::Config;
pub use run::run;
pub use task::{Choice, Outcome, Reason, Replay, Report, Task};
