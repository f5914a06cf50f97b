//! Block-abstraction memoization (BAM), interprocedural: a domain with three more operators gets summaries of
//! functions and unbounded recursion.
//!
//! **What it is.** Paper: Beyer, Friedberger, *Domain-Independent Interprocedural Program Analysis using
//! Block-Abstraction Memoization*, ESEC/FSE 2020. A [`reducer`] has the three operators: reduce, expand,
//! rebuild. [`engine`] computes what the paper's Algorithms 1 and 2 compute, as a database of summaries. A
//! state that calls is suspended, and resumed with every new exit of its callee. So no round starts from the
//! beginning, and the host's stack does not grow with the program's.
//!
//! **What it must not know.** The name of any domain, solvers.
//!
//! **Where to start reading.** [`reducer`], then [`mod@reference`], which is Algorithms 1 and 2 word for
//! word, then [`engine`] with [`store`] (the summaries) and `lookup.rs` (which summary stands for an entry).
//! [`trace`] reads error paths, [`mod@refine`] is how domains exclude them, `renew.rs` keeps summaries across
//! refinements, [`saved`] gives them to other runs.

pub mod engine;
mod lookup;
pub mod reducer;
pub mod reference;
pub mod refine;
mod renew;
pub mod saved;
pub mod store;
pub mod trace;

pub use engine::{Bam, Counters, Settings, Solved, Target};
pub use reducer::{CacheKey, Clause, Reducer, Side};
pub use refine::{BlockRefiner, ErrorPath};
pub use saved::{SavedFunction, Storable};
pub use store::{Exit, Store, Summary, SummaryId, Use, UseId};
pub use trace::Frame;
