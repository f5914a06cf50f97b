//! Programs made from programs: every transformation takes frozen automata and makes others.
//!
//! [`build()`] is where all automata come from: the rounds of building, then the transformations of which
//! every engine has a use. [`cells`] makes a program without arrays.
//!
//! A [`Transformed`] program says how it was made ([`Transformation`]) and has a way back ([`Origin`]). What
//! is proved of it comes home: errors that it cannot reach cannot be reached in the given program, and a
//! proof file names the transformation, so that the program that it is about can be made again. An error of
//! the transformed program says nothing.
//!
//! Never: formulas, solvers, abstract states, verdicts.

pub mod build;
pub mod cells;
mod origin;
mod promote;
mod transformation;
mod volatile;

pub use build::build;
pub use origin::Origin;
pub use transformation::{Transformation, Transformed};
