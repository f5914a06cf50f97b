//! What every other crate stands on: typed ids and the tables indexed by them, strings as symbols, graph
//! algorithms, the budget of a run, reading files of others within limits,
//! and showing their names.
//!
//! Never: anything about C, automata, formulas or solvers.

pub mod budget;
pub mod clock;
pub mod files;
pub mod graph;
pub mod id;
mod id_set;
pub mod plain;
pub mod symbol;
pub mod table;
pub mod unanswered;
pub mod union_find;

pub use budget::{Budget, Ends, Exhausted};
pub use id::Id;
pub use id_set::IdSet;
pub use symbol::{Interner, Symbol};
pub use table::{Csr, IdMap, IdVec};
pub use unanswered::Unanswered;
pub use union_find::UnionFind;

/// Hash map with a fixed, fast hash. Look-ups only: iterate over something ordered instead.
pub type FxHashMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// Hash set with a fixed, fast hash. Look-ups only: iterate over something ordered instead.
pub type FxHashSet<K> = rustc_hash::FxHashSet<K>;
/// The hash of these.
pub use rustc_hash::FxHasher;
