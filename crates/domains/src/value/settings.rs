//! The settings of the value domain, and how it and its refiners are made of them.

use super::{BlockValueRefiner, Merge, Options, Restart, Scope, Value, ValueRefiner};
use crate::path::AbstractPath;
use crate::registry::{self, Adapted, Around, Configured, Evidence, Refiners, Settings, Setup};
use serde::Deserialize;
use summa_cpa::Stop;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValuePrecision {
    /// Every variable is tracked.
    #[default]
    All,
    /// Those that refinement finds to matter.
    Refined,
    /// Every variable as long as it takes few values (`distinct-values`), and those that refinement finds to
    /// matter however many.
    Limited,
    /// `refined` at first. When refinement has found many variables, it is better to follow all: then
    /// `limited`. Needs `[bam]`.
    Growing,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ValueSettings {
    pub merge: registry::Merge,
    pub precision: ValuePrecision,
    /// A variable that had more than this number of values on a path is no longer tracked on it, unless
    /// refinement finds it to matter. Without a limit, loops are followed to their end.
    pub distinct_values: Option<u32>,
    /// Where refined variables are tracked, and where exploration continues after a refinement.
    pub scope: Scope,
    pub restart: Restart,
}

impl Settings for ValueSettings {
    fn explain(&self) -> String {
        let precision = match self.precision {
            ValuePrecision::All => "all variables",
            ValuePrecision::Refined => "variables that refinement finds",
            ValuePrecision::Limited => "variables with few values or that refinement finds",
            ValuePrecision::Growing => "variables that refinement finds, later all with few values",
        };
        let limit = self.distinct_values.map(|n| format!(", at most {n} values each")).unwrap_or_default();
        format!("{precision}{limit}; merge {}", self.merge.name())
    }

    fn check(&self, around: &Around) -> Result<(), String> {
        let is_refined = self.precision != ValuePrecision::All;
        match around {
            Around { is_refined: false, .. } if is_refined => {
                Err("the `precision` of `value` needs the algorithm `cegar`".to_owned())
            }
            Around { is_summarised: false, .. } if self.precision == ValuePrecision::Growing => {
                Err("`precision = \"growing\"` needs [bam]".to_owned())
            }
            Around { .. } => Ok(()),
        }
    }

    fn refinement(&self) -> Option<&'static str> {
        let is_refined = self.precision != ValuePrecision::All;
        is_refined.then_some("value: interpolants of values tell which variables to track")
    }
}

impl<'a> Configured<'a> for Value<'a> {
    const NAME: &'static str = "value";
    const WHAT: &'static str = "explicit values";
    const REFINABLE: Option<&'static str> = Some("`value` with `precision = \"refined\"`");
    type Settings = ValueSettings;

    fn make(settings: &ValueSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        let start = match settings.precision {
            ValuePrecision::All => Options::default(),
            ValuePrecision::Refined => Options::lazy(),
            ValuePrecision::Limited => Options::limited(),
            ValuePrecision::Growing => Options::growing(),
        };
        let merge = match settings.merge {
            registry::Merge::Sep => Merge::Sep,
            registry::Merge::Join => Merge::Join,
        };
        let distinct_values = settings.distinct_values.map(|count| count as usize).or(start.distinct_values);
        Ok(Self::new(setup.cfa, setup.facts, Options { merge, distinct_values, ..start }))
    }

    fn refiners(settings: &ValueSettings, setup: &Setup<'a, '_>) -> Refiners<'a> {
        if settings.refinement().is_none() {
            return Refiners::default();
        }
        let mut refiner = ValueRefiner::new(setup.index);
        refiner.scope = settings.scope;
        refiner.restart = settings.restart;
        let grows = settings.precision == ValuePrecision::Growing;
        let evidence = |path: AbstractPath| Evidence::Path(path.moves);
        Refiners {
            paths: Some(Box::new(Adapted { refiner, evidence })),
            blocks: Some(Box::new(BlockValueRefiner::new(setup.index, grows))),
        }
    }
}
