//! The solver layer: one trait, with Z3 behind it.
//!
//! **What it is.** A [`Solver`] answers whether formulas have a model. It is incremental, and gives models
//! and cores. Around it:
//! * [`front`]: a cheap front that answers most questions without a search;
//! * [`interpolate`]: interpolants for sequences and trees of formulas, checked before they are returned;
//! * `boxes`: branch and prune, for questions about few floats;
//! * [`quantifier`]: elimination of existential quantifiers;
//! * [`second`]: a second solver as a command, which must agree;
//! * [`record`]: every question as an SMT-LIB script.
//!
//! **What it must not know.** Programs, and any formula that is not a [`summa_term::Term`]. Only
//! [`z3::Family`] shows outside that the solver is Z3.
//!
//! **Where to start reading.** [`solver`] is the interface. [`z3`] implements it: `z3/solver.rs` asks,
//! `z3/outline.rs` asks hard questions in outline first, `z3/native` is the only code that calls the C
//! interface. Then [`interpolate`].

mod boxes;
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
