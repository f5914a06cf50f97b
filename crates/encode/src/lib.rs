//! Operations of the automata as terms: what an edge, a path or a block does to the values of the program.
//!
//! **What it is.** Memory is split into [`Cells`]. A [`State`] gives each cell its value as a term, and an
//! [`Encoder`] applies edges to states, over mathematical integers or bit-vectors ([`Encoding`]). [`Paths`]
//! has path formulas: what happened since the start of a block, translated once and instantiated by renaming.
//! What has no exact term becomes "any value" and is recorded as an [`Approximation`].
//!
//! **What it must not know.** Solvers, engines, abstract states, verdicts. The caller decides what to
//! explore, where states get symbols, and where they are merged.
//!
//! **Where to start reading.** [`cells`] and [`state`], then [`encoder`]. `edge.rs` and `expr.rs` translate
//! operations and expressions, [`arithmetic`] has the two arithmetics, `library` the library functions. Then
//! [`path`], on which all engines and the checker build. The proof crate's `axioms.rs` lists every fact that
//! formulas assume.

pub mod arithmetic;
mod bit_field;
mod cell_names;
pub mod cells;
mod chunks;
mod edge;
pub mod encoder;
mod expr;
mod known;
mod leaves;
mod library;
mod linear;
mod memory;
mod object;
pub mod path;
mod range;
pub mod shape;
pub mod state;
mod templates;
pub mod value;

pub use arithmetic::Encoding;
pub use cell_names::CellNames;
pub use cells::{CellId, Cells};
pub use encoder::{Approximation, Encoder, Input, InputSource};
pub use known::Known;
pub use path::{Event, Instance, Interface, PathId, Paths, Relation, Ssa, Summary, SummaryUse, Unsupported};
pub use range::Range;
pub use state::State;
pub use value::{Pointer, Value};
