//! Proofs, and the checker that confirms them before anybody says TRUE.
//!
//! A [`Proof`] is data: formulas about the values of the program at some of its locations, contracts of
//! functions, and how they show that no error is reached. [`check()`] proves every step of it again, with
//! path formulas, terms and a solver of its own. It takes nothing from the engine that found the proof; what
//! it relies on is the program (`cfa`), what its operations mean (`encode`), and the solver (`smt`).
//!
//! [`mod@check`] has the theorem and why it holds. Read it first, then [`axioms`], which lists what formulas
//! take for granted, and `walk.rs`, which follows the program.

pub mod axioms;
mod brevity;
mod certificate;
pub mod check;
mod contracts;
mod formulas;
mod hull;
mod in_c;
mod json;
mod lemmas;
mod plain;
mod proof;
mod questions;
mod refusal;
mod show;
mod walk;

pub use certificate::Certificate;
pub use check::{Confirmed, check, check_and_trim, check_twice};
pub use in_c::{Audience, ContractInC, InC};
pub use proof::{Draft, Formula, Method, Place, Point, Procedure, Proof};
pub use refusal::{Obligation, Refusal};
pub use summa_smt::SecondSolver;
