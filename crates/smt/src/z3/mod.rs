//! Z3 behind [`crate::Solver`]: conversion of terms, solvers, values of models, and the parts that
//! interpolation needs.

mod bits;
mod facts;
mod family;
mod import;
mod native;
mod outline;
mod ring;
mod solver;
mod values;

pub use family::Family;
pub use native::NativeError;
pub(crate) use native::{Ast, Clause, Decl, HornAnswer, HornParameters, View};
pub use solver::Z3Solver;
