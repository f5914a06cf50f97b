//! What becomes of a verdict outside of Summa: a C file with the inputs that reach the error ([`harness`]), a
//! test case ([`test_suite`]), and witnesses in both exchange formats, which are also read again and
//! followed.
//!
//! An execution is given by its recorded inputs and shown to observers of the interpreter. Places in the
//! source are those of the syntax tree: the formats speak of statements and calls, which the automata do not
//! have any more.
//!
//! Beside it are findings as data ([`finding`]), explanations of executions ([`explain`]), and the formats in
//! which people, CI and editors read them ([`text`], [`sarif`], [`json_lines`], [`github`]).
//!
//! Never: solvers, engines, printing; nothing here decides a verdict.

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
