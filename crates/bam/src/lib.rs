//! Block-abstraction memoization, interprocedural: any domain with three operators gets procedure summaries and unbounded
//! recursion.
//!
//! Paper: Beyer, Friedberger, *Domain-Independent Interprocedural Program Analysis using Block-Abstraction Memoization*, ESEC/FSE
//! 2020. [`reducer`] has the operators, [`mod@reference`] Algorithms 1 and 2 word for word, [`engine`] computes the same as a database of
//! summaries: a state that calls is suspended and resumed with every new exit of its callee, so neither a round starts
//! from the beginning nor does the host's stack grow with that of the program.
//!
//! Never: the name of a domain, a solver.

pub mod reducer;

pub use reducer::{CacheKey, Reducer};
