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
//!     Verdict::Internal(bug) => panic!("a bug in Summa: {bug}"),
//! }
//! # Ok::<(), summa_verify::Error>(())
//! ```
//!
//! **What it is.** The library that other programs embed, and that `summa` calls. A [`Program`] is read once
//! and verified for each property. The strategy, the shares of the time, the replays and the proof checks are
//! in here.
//!
//! **No verdict without a check.** [`Verdict::Safe`] holds a [`ConfirmedProof`]. Only a success of the
//! checker makes one ([`confirm`]), or the repetition of a program's only execution. [`Verdict::Unsafe`]
//! holds a [`ReplayedViolation`], which only a replay makes ([`executions`]). Answers of engines are claims
//! (`summa_engines::Claim`) or inputs to try; nothing else turns them into a verdict. If a confirmed proof
//! and a replayed violation come together, that is a bug in Summa, and reported as one
//! ([`Bug::Contradiction`]).
//!
//! All other results are data too. A [`Listener`] receives what is tried. A [`Verification`] has the automata
//! that the verdict is about, what executions have shown, and what engines counted.
//!
//! **What it must not know.** Printing, options of the command line, files, how the process ends.
//!
//! **Where to start reading.** `verify.rs` has the rounds of one question, `decide.rs` one round. A round
//! begins with executions ([`executions`]), and goes on with the plan ([`strategy`], chosen by the
//! [`features`] of the program; [`portfolio`] carries it out). Each stage of the plan is an [`engine`] whose
//! answer is replayed or confirmed.

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
