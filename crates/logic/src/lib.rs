//! Questions about paths: the workbench of every algorithm that works with formulas.
//!
//! **What it is.** A [`Workbench`] has the path formulas of a program ([`summa_encode::Paths`]) and a solver
//! that keeps to the budget of the run ([`BoundedSolver`]). From simple to composed, it offers:
//! * [`Workbench::after`]: a formula as it reads after a path, its weakest precondition;
//! * [`hoare`]: triples `{pre} path {post}`, decided by looking where that is enough;
//! * [`chain`]: blocks one behind the other, their models as inputs of a run, and inductive interpolants
//!   between them;
//! * [`tree`] and [`nested`]: paths whose blocks use summaries, as trees, with nested interpolants
//!   ([`levels`] where a solver has none for the whole tree);
//! * [`lighten`]: formulas without the atoms that are hard for a solver and irrelevant to the question;
//! * [`portable`]: formulas as data, for other runs on the same program.
//!
//! **What it must not know.** Abstract states, domains, engines, verdicts. It does not decide what to
//! explore: it answers questions about formulas and paths. A question without an answer gives
//! [`summa_base::Unanswered`], never a guess. The checker of proofs does not use it: it asks a solver of its
//! own.
//!
//! **Where to start reading.** [`workbench`], then [`hoare`].
//!
//! ```
//! # use summa_testkit::programs::automata;
//! use summa_base::Budget;
//! use summa_cfa::Op;
//! use summa_encode::{Encoder, Encoding};
//! use summa_facts::Analyses;
//! use summa_logic::{Triple, Workbench};
//!
//! // int main(void) { int x = 5; return 0; }
//! let cfa = automata("int main(void) { int x = 5; return 0; }");
//! let facts = Analyses::new(&cfa);
//! let mut logic = Workbench::new(Encoder::new(&cfa, &facts, Encoding::Int), &Budget::unlimited())?;
//!
//! // The path over the edge `x = 5`, and x as a term.
//! let is_it = |&edge: &summa_cfa::EdgeId| cfa.edges[edge].op.text(&cfa.program) == "x = 5;";
//! let edge = cfa.edges.ids().find(is_it).expect("an edge");
//! let before = logic.paths.block_entry();
//! let path = logic.paths.edge(before, edge);
//! let changed = logic.paths.changed(path)[0];
//! let symbol = logic.paths.encoder.cells.cells[changed].symbol;
//! let x = logic.terms().symbol(symbol, 0);
//!
//! // {true} x = 5 {x = 5} is valid, {true} x = 5 {x = 6} is not.
//! let (five, six) = (logic.terms().int(5), logic.terms().int(6));
//! let (is_five, is_six) = (logic.terms().eq(x, five), logic.terms().eq(x, six));
//! assert!(logic.holds(Triple { pre: &[], path, post: &[is_five] })?);
//! assert!(!logic.holds(Triple { pre: &[], path, post: &[is_six] })?);
//! # Ok::<(), summa_base::Unanswered>(())
//! ```

pub mod chain;
pub mod hoare;
pub mod levels;
pub mod lighten;
pub mod nested;
pub mod portable;
pub mod solver;
pub mod tree;
pub mod workbench;

pub use chain::{Block, Chain, Counterexample};
pub use hoare::{Plainly, Triple};
pub use lighten::Light;
pub use portable::SavedFormulas;
pub use solver::BoundedSolver;
pub use tree::{BlockTree, Link, Place, Summaries, Unfolding};
pub use workbench::{Invariants, Workbench};
