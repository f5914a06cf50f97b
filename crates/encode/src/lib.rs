//! Operations of the automata as terms: what an edge, a path or a block does to the values of the program.
//!
//! A [`State`] gives each cell of the program's memory its value as a term; an [`Encoder`] applies edges to
//! states. Whoever explores decides where states are named by symbols (a path formula with versions) and
//! where they are merged. Never: a solver, an abstract state, a decision about what to explore.

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
