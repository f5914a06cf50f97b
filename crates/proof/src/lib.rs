//! Proofs as data, and the checker that confirms them before Summa answers TRUE.
//!
//! **What it is.** A [`Proof`] consists of formulas about the values of the program at some of its locations
//! (loop heads, mostly), contracts of functions, and the method by which they show that no error is reached:
//! inductive points, induction over k segments, or unrolling. [`check()`] proves every step of it again, with
//! path formulas, terms and a solver of its own. A proof that is not confirmed is no verdict, and a wrong one
//! is a bug in Summa. A second solver can be asked too: then both must agree.
//!
//! **What it must not know.** Engines, domains, abstract states, and the crate `logic`. Nothing is taken from
//! the engine that found the proof. The checker relies on the program (`cfa`, `facts`, `transform`), on what
//! its operations mean (`encode`), and on the solver: Z3 and what `smt` decides without it (equalities,
//! algebra of polynomials, boxes of intervals).
//!
//! **Where to start reading.** [`mod@check`] has the theorem and why it holds. Then [`axioms`], which lists
//! what formulas assume; `walk.rs`, which follows the program; and `contracts.rs`, which replaces calls.
//! [`certificate`] is a proof together with the transformation of the program that it is about. [`json`] and
//! [`in_c`] write proofs down, for files and for people.

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
