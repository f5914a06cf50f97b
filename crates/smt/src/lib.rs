//! The solver layer: one trait, Z3 behind it, a cheap front before it, elimination and interpolation on top.
//!
//! Never: a program, or a formula that is not a [`summa_term::Term`]. Nothing of Z3 is visible outside but
//! [`z3::Family`].

mod equalities;
pub mod front;
pub mod interpolate;
pub mod model;
pub mod quantifier;
pub mod record;
pub mod second;
pub mod solver;
mod workbench;
pub mod z3;

pub use front::Front;
pub use interpolate::{Chooser, Interpolator, Tree, TreeNode};
pub use model::Model;
pub use record::Recorder;
pub use second::{Opinion, SecondSolver};
pub use solver::{AllSat, Answer, Limits, Reason, Solver, Statistics};
pub use z3::{Family, Z3Solver};
