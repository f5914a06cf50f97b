//! What others make of a verdict: witnesses, harnesses, test suites, reports and explanations.
//!
//! **What it is.** An execution is given by its recorded inputs, and observers of the interpreter see it
//! again. Places in the source are those of the syntax tree ([`places`]): exchange formats speak of
//! statements and calls, which the automata no longer have.
//! * *Others check a violation*: a C file for gcc ([`harness`]), a test case ([`test_suite`]).
//! * *Witnesses* in both exchange formats ([`yaml`], [`graphml`]) are written ([`record`], [`invariants`]),
//!   read, and followed by executions ([`follow`]) or put into the program's text ([`instrument`]).
//! * *Reports*: findings as data ([`finding`]), explanations ([`explain`]), and formats for people, CI and
//!   editors ([`text`], [`sarif`], [`json_lines`], [`github`]).
//!
//! **What it must not know.** Solvers, engines, printing. It decides no verdict.
//!
//! **Where to start reading.** [`witness`] and [`finding`] are the data. Then [`record`] (an execution
//! becomes a witness) and [`follow`] (a witness becomes an execution); [`explain`] is a dynamic slicer on its
//! own.

pub mod constant;
mod constraint;
mod contract_checks;
pub mod explain;
pub mod finding;
pub mod follow;
pub mod github;
pub mod graphml;
pub mod harness;
pub mod instrument;
pub mod invariants;
pub mod json_lines;
pub mod metadata;
pub mod places;
pub mod record;
pub mod sarif;
pub mod test_suite;
pub mod text;
pub mod witness;
mod xml;
pub mod yaml;
