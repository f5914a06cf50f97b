//! Programs made from programs: every transformation takes frozen automata and makes others.
//!
//! [`build()`] is where all automata come from: the rounds of building, then the transformations of which every engine has a
//! use. [`cells`] makes a program without arrays.
//!
//! Never: formulas, solvers, abstract states, verdicts.

pub mod build;
pub mod cells;
mod promote;
mod volatile;

pub use build::build;
