//! The settings of k-induction.

use serde::Deserialize;

/// Where invariants of loop heads come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InvariantSource {
    None,
    /// An interval analysis of the whole program.
    Interval,
    /// Intervals, then linear equations and other relations between variables that are inductive together.
    #[default]
    Lemmas,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct KInductionConfig {
    pub invariants: InvariantSource,
}
