//! Settings of the predicate domain. Paper: Beyer, Dangl, Wendler, JAR 2018, Table 1: each of its analyses is
//! a row of choices.

use serde::Deserialize;

/// How abstraction formulas are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// As a decision diagram: entailment without the solver.
    Bdd,
    /// As a formula.
    Term,
}

/// The operator blk: where blocks end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blocks {
    /// blk^l: at loop heads.
    Loops,
    /// blk^lf: at loop heads, calls and returns.
    LoopsAndFunctions,
    /// blk^never.
    Never,
}

/// The refinement strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// New predicates in the precision, lazy abstraction from the pivot on.
    Predicate,
    /// Interpolants strengthen the states on the path.
    Impact,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub representation: Representation,
    pub blocks: Blocks,
    pub strategy: Strategy,
    pub forced_covering: bool,
    /// Only literals, no enumeration.
    pub cartesian: bool,
    /// merge_P; otherwise merge^sep.
    pub merge: bool,
    /// With blk^never: states at loop heads that the solver refutes quickly are dropped.
    pub prune: bool,
    /// For block-abstraction memoization: summaries of blocks stand for calls (and loops), and where such
    /// blocks are entered and left there are abstractions.
    pub summaries: bool,
    /// Which functions are no blocks then: as for [`summa_facts::blocks::Blocks::new`].
    pub inline: u32,
}

impl Settings {
    /// Predicate abstraction as in Table 1 of the paper: blk^l, regions, merge_P.
    pub const ABSTRACTION: Self = Self {
        representation: Representation::Bdd,
        blocks: Blocks::Loops,
        strategy: Strategy::Predicate,
        forced_covering: false,
        cartesian: false,
        merge: true,
        prune: false,
        summaries: false,
        inline: 0,
    };
}
