//! The ground on which every other crate stands.
//!
//! **What it is.**
//! * *Ids and tables*: typed indices ([`define_id!`](crate::define_id)), vectors and maps over them
//!   ([`IdVec`], [`IdMap`], [`Csr`]), sets ([`IdSet`]), maps that share parts ([`mod@persistent`]).
//! * *Small algorithms*: strings as symbols ([`Interner`]), graph algorithms ([`mod@graph`]), union-find
//!   ([`UnionFind`]).
//! * *Limits of a run*: a [`Budget`] that every longer computation asks, counted work instead of measured
//!   time ([`clock`]), and the reason why a question has no answer ([`Unanswered`]).
//! * *Safe input and output*: files of others read within limits ([`files`]), and their names shown as plain
//!   text ([`plain`]).
//!
//! **What it must not know.** Anything about C, automata, formulas or solvers.
//!
//! **Where to start reading.** [`id`] and [`table`], which appear on every page of the other crates. Then
//! [`budget`] and [`clock`].

pub mod budget;
pub mod clock;
pub mod files;
pub mod graph;
pub mod id;
mod id_set;
pub mod persistent;
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
