//! Decides properties of C programs: a library that returns data.
//!
//! ```
//! use summa_verify::{DataModel, Program, Property, Settings, Verdict};
//!
//! let source = "
//!     void reach_error(void);
//!     int main(void) { int sum = 0; for (int i = 0; i < 10; i++) sum += i; if (sum < 0) reach_error(); }";
//! let program = Program::from_source("sum.c", source, DataModel::Lp64)?;
//! let found = program.verify(&Property::default(), &Settings::default())?;
//! match found.verdict() {
//!     Verdict::Safe(proof) => assert!(proof.execution().is_some()),
//!     Verdict::Unsafe(violation) => panic!("{} with {:?}", violation.what, violation.outcome.inputs),
//!     Verdict::Unknown(reason) => panic!("not decided: {reason}"),
//!     Verdict::Internal(bug) => panic!("a bug of Summa's: {bug}"),
//! }
//! # Ok::<(), summa_verify::Error>(())
//! ```
//!
//! **A verdict cannot be said unchecked.** [`Verdict::Safe`] holds a [`ConfirmedProof`], which only the
//! checker's success makes ([`confirm`]), or the repetition of the only execution of a program.
//! [`Verdict::Unsafe`] holds a [`ReplayedViolation`], which only a replay makes ([`executions`]). What
//! engines answer is a claim (`summa_engines::Claim`) or inputs to try; nothing else turns either into a
//! verdict. If both come together, that is a bug of Summa's and said as one ([`Bug::Contradiction`]).
//!
//! **What else there is to know** is data too: a [`Listener`] hears what is tried, a [`Verification`] has the
//! automata that the verdict speaks of, what executions have shown, and what engines counted.
//!
//! **Where to start reading.** `verify.rs` has the rounds of one question, `decide.rs` one round: executions
//! ([`executions`]), then the plan ([`strategy`], by the [`features`] of the program; [`portfolio`] carries
//! it out), each stage an [`engine`] whose answer is replayed or confirmed.
//!
//! **Never**: printing, options of the command line, files, how the process ends.

mod automata;
pub mod cells;
pub mod confirm;
mod decide;
pub mod engine;
mod error;
pub mod executions;
pub mod features;
mod listener;
pub mod portfolio;
mod program;
pub mod property;
mod settings;
mod specification;
pub mod strategy;
pub mod vacuity;
mod verdict;
mod verify;

pub use automata::Automata;
pub use confirm::ConfirmedProof;
pub use decide::{Decision, Finder, decide};
pub use error::Error;
pub use executions::ReplayedViolation;
pub use listener::{AttemptResult, Attempted, Conclusion, Ending, Listener, Untried};
pub use program::{Program, Variant};
pub use property::Property;
pub use settings::Settings;
pub use specification::{Malformed, Specification};
pub use summa_c::types::DataModel;
pub use verdict::{Bug, Contradiction, Reason, Verdict};
pub use verify::Verification;
