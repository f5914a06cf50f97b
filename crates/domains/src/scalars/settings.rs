//! The settings of domains of sets of numbers, and how such a domain is made of them.

use super::{Merge, NumberSet, Options, Scalars};
use crate::registry::{self, Configured, Settings, Setup};
use serde::Deserialize;
use summa_cpa::Stop;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ScalarSettings {
    pub merge: registry::Merge,
    /// The number of merges at a loop head that are joins, before widening begins.
    pub widen_after: u32,
    /// The number of further merges that widen to constants of the program, before bounds become those of the
    /// type.
    pub threshold_rounds: u32,
    /// Calls with variables of few values are split by value, up to this number of combinations.
    pub split_calls: u32,
    /// The number of entries of a recursive function that differ in one variable only and are kept apart; 0:
    /// any number.
    pub entry_cases: u32,
    /// Ranges of entries grow step by step before they are widened to the limits of types.
    pub entry_steps: bool,
}

impl Default for ScalarSettings {
    fn default() -> Self {
        let options = Options::default();
        Self {
            merge: registry::Merge::Join,
            widen_after: options.joins,
            threshold_rounds: options.threshold_rounds,
            split_calls: options.split_calls as u32,
            entry_cases: options.entry_cases as u32,
            entry_steps: options.entry_steps,
        }
    }
}

impl ScalarSettings {
    fn options(&self) -> Options {
        Options {
            merge: match self.merge {
                registry::Merge::Sep => Merge::Sep,
                registry::Merge::Join => Merge::Join,
            },
            joins: self.widen_after,
            threshold_rounds: self.threshold_rounds,
            split_calls: self.split_calls as usize,
            entry_cases: self.entry_cases as usize,
            entry_steps: self.entry_steps,
        }
    }
}

impl Settings for ScalarSettings {
    fn explain(&self) -> String {
        format!("widened after {} merges; merge {}", self.widen_after, self.merge.name())
    }
}

impl<'a, V: NumberSet> Configured<'a> for Scalars<'a, V> {
    const NAME: &'static str = V::NAME;
    const WHAT: &'static str = V::WHAT;
    type Settings = ScalarSettings;

    fn make(settings: &ScalarSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        Ok(Self::new(setup.cfa, setup.facts, settings.options()))
    }
}
