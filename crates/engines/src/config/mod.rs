//! Configurations: which algorithm runs over which domains, as data: TOML files, compiled in or the user's.
//!
//! Everything is typed. An unknown key is an error with its place and a suggestion: a setting that is silently
//! ignored would be a wrong experiment. [`explain`] prints the tree that a configuration stands for.

mod bam;
mod error;
pub mod explain;
pub mod presets;

pub use bam::{BamConfig, BlockChoice};
pub use error::ConfigError;
pub use presets::{PRESETS, Preset};

use serde::Deserialize;
use summa_cpa::Layer;
use summa_domains::reductions::{self, Named};

/// An algorithm and what it runs over. Sections of domains that are not used must not be there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Config {
    /// The name of the preset or the path of the file.
    #[serde(skip)]
    pub name: String,
    pub description: String,
    pub algorithm: Algorithm,
    #[serde(default)]
    pub encoding: EncodingChoice,
    /// What is expanded first; for explorations.
    #[serde(default)]
    pub waitlist: Vec<WaitlistLayer>,
    /// The components of the product, in the order of the tuple; for explorations.
    #[serde(default)]
    pub domains: Vec<DomainName>,
    /// The reductions between components after each transfer, in this order; for explorations.
    #[serde(default)]
    pub reductions: Vec<ReductionName>,
    pub predicate: Option<PredicateConfig>,
    pub value: Option<ValueConfig>,
    pub interval: Option<IntervalConfig>,
    pub loop_bound: Option<LoopBoundConfig>,
    pub k_induction: Option<KInductionConfig>,
    /// Blocks are summarised; for explorations.
    pub bam: Option<BamConfig>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// CPA++ alone (Algorithm 2), with growing bounds if there is a loop bound.
    Reachability,
    /// CPA++ with refinement around it (Algorithm 4).
    Cegar,
    Bmc,
    KInduction,
}

/// Over which arithmetic formulas are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EncodingChoice {
    /// By the program; see `encoding_choice`.
    #[default]
    Auto,
    Int,
    Bitvector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitlistLayer {
    Unrolled,
    ShallowCalls,
    DeepCalls,
    Breadth,
    Depth,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DomainName {
    Location,
    Callstack,
    Specification,
    LoopBound,
    Value,
    Interval,
    Sign,
    Linear,
    Octagon,
    Predicate,
}

/// A reduction between two components: see [`summa_domains::reductions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub enum ReductionName {
    #[serde(rename = "value->interval")]
    ValueToInterval,
    #[serde(rename = "interval->value")]
    IntervalToValue,
    #[serde(rename = "linear->interval")]
    LinearToInterval,
    #[serde(rename = "interval->linear")]
    IntervalToLinear,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    #[default]
    Sep,
    Join,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Abstraction {
    #[default]
    Bdd,
    Term,
}

/// The block operator: where abstractions are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockOperator {
    /// At loop heads: blk^l.
    #[default]
    Loops,
    /// At loop heads and where functions begin and end: blk^lf.
    LoopsAndFunctions,
    /// Nowhere: blk^never.
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PredicateRefinement {
    #[default]
    Predicate,
    Impact,
    None,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PredicateConfig {
    pub abstraction: Abstraction,
    pub blocks: BlockOperator,
    pub refinement: PredicateRefinement,
    pub forced_covering: bool,
    /// Abstract by one predicate at a time: cheaper and weaker.
    pub cartesian: bool,
    /// `join` is merge_P: path formulas of one block are joined.
    pub merge: Merge,
    /// What is taken for granted at loop heads.
    pub invariants: InvariantSource,
}

impl Default for PredicateConfig {
    fn default() -> Self {
        Self {
            abstraction: Abstraction::Bdd,
            blocks: BlockOperator::Loops,
            refinement: PredicateRefinement::Predicate,
            forced_covering: false,
            cartesian: false,
            merge: Merge::Join,
            invariants: InvariantSource::None,
        }
    }
}

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
pub struct ValueConfig {
    pub merge: Merge,
    pub precision: ValuePrecision,
    /// A variable that had more than this number of values on a path is no longer tracked on it, unless
    /// refinement finds it to matter. Without a limit, loops are followed to their end.
    pub distinct_values: Option<u32>,
    /// Where refined variables are tracked, and where exploration continues after a refinement.
    pub scope: ValueScope,
    pub restart: Restart,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ValueScope {
    #[default]
    Program,
    Location,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    Pivot,
    #[default]
    Root,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct IntervalConfig {
    pub merge: Merge,
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

impl Default for IntervalConfig {
    fn default() -> Self {
        Self {
            merge: Merge::Join,
            widen_after: 2,
            threshold_rounds: 12,
            split_calls: 0,
            entry_cases: 0,
            entry_steps: false,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct LoopBoundConfig {
    pub start: u32,
    /// No larger bound is tried; without it, there is no end.
    pub max: Option<u32>,
}

impl Default for LoopBoundConfig {
    fn default() -> Self {
        Self { start: 1, max: None }
    }
}

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

impl Config {
    /// A configuration of the house.
    pub fn preset(name: &str) -> Result<Self, ConfigError> {
        match PRESETS.iter().find(|preset| preset.name == name) {
            Some(preset) => Self::parse(preset.name, preset.text),
            None => Err(ConfigError::no_such_preset(name)),
        }
    }

    /// The text of a configuration; `name` is for messages.
    pub fn parse(name: &str, text: &str) -> Result<Self, ConfigError> {
        let mut config: Self =
            toml::from_str(text).map_err(|error| ConfigError::syntax(name, text, &error))?;
        name.clone_into(&mut config.name);
        config.check().map_err(|message| ConfigError::meaning(name, message))?;
        Ok(config)
    }

    /// Do the parts fit together?
    fn check(&self) -> Result<(), String> {
        let explores = matches!(self.algorithm, Algorithm::Reachability | Algorithm::Cegar);
        if !explores {
            let has = if !self.domains.is_empty() { Some("domains") } else { None };
            let has = has.or((!self.waitlist.is_empty()).then_some("waitlist"));
            let has = has.or((!self.reductions.is_empty()).then_some("reductions"));
            return match has {
                Some(key) => Err(format!("`{key}` is for the algorithms `reachability` and `cegar`")),
                None => self.check_sections(&[]),
            };
        }
        for needed in [DomainName::Location, DomainName::Callstack, DomainName::Specification] {
            if !self.domains.contains(&needed) {
                return Err(format!("the domain `{}` is missing: explorations need it", needed.name()));
            }
        }
        for (index, domain) in self.domains.iter().enumerate() {
            if self.domains[..index].contains(domain) {
                return Err(format!("the domain `{}` is there twice", domain.name()));
            }
        }
        self.check_reductions()?;
        self.check_sections(&self.domains)?;
        self.check_bam()?;
        match self.algorithm {
            Algorithm::Cegar if !self.refines_values() && !self.refines_predicates() => Err(
                "`cegar` needs something to refine: `value` with `precision = \"refined\"`, or `predicate` \
                 with a `refinement`"
                    .to_owned(),
            ),
            Algorithm::Cegar if self.domains.contains(&DomainName::LoopBound) => {
                Err("a loop bound goes with the algorithm `reachability`".to_owned())
            }
            Algorithm::Reachability if self.refines_values() => {
                Err("the `precision` of `value` needs the algorithm `cegar`".to_owned())
            }
            Algorithm::Reachability if self.refines_predicates() => {
                Err("`predicate` needs `refinement = \"none\"` here, or the algorithm `cegar`".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// A reduction needs both of its domains.
    fn check_reductions(&self) -> Result<(), String> {
        for (index, reduction) in self.reductions.iter().enumerate() {
            let named = reduction.named();
            if self.reductions[..index].contains(reduction) {
                return Err(format!("the reduction `{}` is there twice", named.name));
            }
            for needed in [named.from, named.to] {
                if !self.domains.iter().any(|domain| domain.name() == needed) {
                    return Err(format!("the reduction `{}` needs the domain `{needed}`", named.name));
                }
            }
        }
        Ok(())
    }

    /// Can blocks of this analysis be summarised?
    fn check_bam(&self) -> Result<(), String> {
        let Some(bam) = &self.bam else {
            return match self.follows_more_values() {
                true => Err("`precision = \"growing\"` needs [bam]".to_owned()),
                false => Ok(()),
            };
        };
        let refinement = self.predicate.as_ref().map(|predicate| predicate.refinement);
        match () {
            () if self.domains.contains(&DomainName::LoopBound) => {
                Err("a loop bound cuts runs off, and a summary must not: leave out `loop-bound` or \
                    [bam]"
                    .to_owned())
            }
            () if refinement == Some(PredicateRefinement::Impact) => Err(
                "IMPACT strengthens states that summaries rely on: use `refinement = \"predicate\"` with \
                    [bam]"
                    .to_owned(),
            ),
            () if bam.borrow && self.algorithm != Algorithm::Cegar => {
                Err("`borrow` needs the algorithm `cegar`".to_owned())
            }
            () => Ok(()),
        }
    }

    /// Checks that every section belongs to something that is used.
    fn check_sections(&self, domains: &[DomainName]) -> Result<(), String> {
        let bounded = matches!(self.algorithm, Algorithm::Bmc | Algorithm::KInduction);
        let sections = [
            ("predicate", self.predicate.is_some(), domains.contains(&DomainName::Predicate)),
            ("value", self.value.is_some(), domains.contains(&DomainName::Value)),
            ("interval", self.interval.is_some(), domains.contains(&DomainName::Interval)),
            ("loop-bound", self.loop_bound.is_some(), bounded || domains.contains(&DomainName::LoopBound)),
            ("k-induction", self.k_induction.is_some(), self.algorithm == Algorithm::KInduction),
            ("bam", self.bam.is_some(), !domains.is_empty()),
        ];
        match sections.into_iter().find(|&(_, is_there, is_used)| is_there && !is_used) {
            Some((name, ..)) => Err(format!("the section [{name}] is there, but `{name}` is not used")),
            None => Ok(()),
        }
    }

    /// Refinement finds out which variables the value analysis tracks.
    pub fn refines_values(&self) -> bool {
        self.domains.contains(&DomainName::Value)
            && self.value.as_ref().is_some_and(|value| value.precision != ValuePrecision::All)
    }

    /// After some refinements all values are followed that are few.
    pub fn follows_more_values(&self) -> bool {
        self.value.as_ref().is_some_and(|value| value.precision == ValuePrecision::Growing)
    }

    /// Formulas are part of the analysis, not only of the check of an error path.
    pub fn uses_formulas(&self) -> bool {
        let explores = matches!(self.algorithm, Algorithm::Reachability | Algorithm::Cegar);
        !explores || self.domains.contains(&DomainName::Predicate)
    }

    /// Refinement finds predicates.
    pub fn refines_predicates(&self) -> bool {
        let refinement = self.predicate.as_ref().map_or(PredicateRefinement::default(), |p| p.refinement);
        self.domains.contains(&DomainName::Predicate) && refinement != PredicateRefinement::None
    }

    /// Merge and refinement of a component's states are in its own section; the layers of the waitlist are
    /// here.
    pub fn layers(&self) -> Vec<Layer> {
        self.waitlist.iter().map(|layer| layer.layer()).collect()
    }
}

impl WaitlistLayer {
    fn layer(self) -> Layer {
        match self {
            Self::Unrolled => Layer::Unrolled,
            Self::ShallowCalls => Layer::ShallowCalls,
            Self::DeepCalls => Layer::DeepCalls,
            Self::Breadth => Layer::Breadth,
            Self::Depth => Layer::Depth,
        }
    }
}

impl DomainName {
    pub const ALL: [Self; 10] = [
        Self::Location,
        Self::Callstack,
        Self::Specification,
        Self::LoopBound,
        Self::Value,
        Self::Interval,
        Self::Sign,
        Self::Linear,
        Self::Octagon,
        Self::Predicate,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Callstack => "callstack",
            Self::Specification => "specification",
            Self::LoopBound => "loop-bound",
            Self::Value => "value",
            Self::Interval => "interval",
            Self::Sign => "sign",
            Self::Linear => "linear",
            Self::Octagon => "octagon",
            Self::Predicate => "predicate",
        }
    }
}

impl ReductionName {
    pub const ALL: [Self; 4] =
        [Self::ValueToInterval, Self::IntervalToValue, Self::LinearToInterval, Self::IntervalToLinear];

    /// As the domains have it.
    pub fn named(self) -> &'static Named {
        match self {
            Self::ValueToInterval => &reductions::VALUE_TO_INTERVAL,
            Self::IntervalToValue => &reductions::INTERVAL_TO_VALUE,
            Self::LinearToInterval => &reductions::LINEAR_TO_INTERVAL,
            Self::IntervalToLinear => &reductions::INTERVAL_TO_LINEAR,
        }
    }
}

impl EncodingChoice {
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Int => "int",
            Self::Bitvector => "bitvector",
        }
    }
}
