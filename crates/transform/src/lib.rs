//! Programs made from programs: each transformation takes frozen automata and makes others, with a way back.
//!
//! **What it is.** [`build()`] is the entry point for all automata. It repeats building until no new call
//! through a pointer is found, and then applies the transformations that every engine needs. [`cells`] makes
//! a program without arrays. A [`Transformed`] program says how it was made ([`Transformation`]) and where
//! its parts come from ([`Origin`]).
//!
//! A proof about the new program comes home. If no error is reachable there, none is reachable in the given
//! program. A proof file names the transformation, so that it can be repeated. An error of the new program
//! says nothing.
//!
//! **What it must not know.** Formulas, solvers, abstract states, verdicts.
//!
//! **Where to start reading.** [`mod@build`], then `transformation.rs` and `origin.rs`. `promote.rs` is a
//! short transformation; [`cells`] is the long one, with its theorem and proof.

pub mod build;
pub mod cells;
mod origin;
mod promote;
mod random;
mod transformation;
mod volatile;

pub use build::build;
pub use origin::Origin;
pub use transformation::{Transformation, Transformed};
