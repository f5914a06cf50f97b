//! The engines: algorithms over products of domains, each described by a configuration.
//!
//! **What it is.** [`run()`] takes a [`config::Config`] and a [`Task`], and answers with a [`Report`]. An
//! engine decides nothing: it returns inputs that reach an error, a [`Claim`] with a proof that is not
//! checked yet, or the reason why it has no answer.
//!
//! **What it must not know.** Printing, files, options of the command line.
//!
//! **Where to start reading.** [`task`] is the interface, [`config`] what can be configured, [`mod@run`] the
//! entry. Then:
//! * exploration: [`assemble`] makes the product, [`explore`] runs CPA++ and CEGAR on it, [`summarise`] runs
//!   BAM;
//! * formulas: [`k_induction`] (and BMC), with [`invariants`] of loop heads;
//! * answers: `judge.rs` and [`counterexample`] check error paths, [`proof`] writes proofs down;
//! * across runs: [`shared`] within a run, [`saved`] and [`contents`] between runs.

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
