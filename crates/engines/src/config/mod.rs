//! Configurations: which algorithm runs over which domains, as data: TOML files, compiled in or the user's.
//!
//! Everything is typed. An unknown key is an error with its place and a suggestion: a setting that is
//! silently ignored would be a wrong experiment. The registry of domains ([`Registry`]) says which domains
//! there are and what their sections mean. [`explain`] prints the tree that a configuration stands for.

mod bam;
mod error;
pub mod explain;
pub mod presets;
mod read;

pub use bam::{BamConfig, BlockChoice};
pub use error::ConfigError;
pub use presets::{PRESETS, Preset};
pub use summa_domains::registry::{Chosen, InvariantSource, Registration, Registry};

use serde::Deserialize;
use summa_cpa::Layer;
use summa_domains::reductions::{Named, REDUCTIONS};
use summa_domains::registry::Around;

/// An algorithm and what it runs over.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The name of the preset or the path of the file.
    pub name: String,
    /// One line for people.
    pub description: String,
    pub algorithm: Algorithm,
    pub encoding: EncodingChoice,
    /// What is expanded first; for explorations.
    pub waitlist: Vec<WaitlistLayer>,
    /// The components of the product with their settings, in the order of the tuple; for explorations.
    pub domains: Vec<Chosen>,
    /// What components tell each other after each transfer, in this order; for explorations.
    pub reductions: Vec<Named>,
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
        Self::parse_with(name, text, &Registry::default())
    }

    /// The same with these domains.
    pub fn parse_with(name: &str, text: &str, registry: &Registry) -> Result<Self, ConfigError> {
        let (config, unused) = read::read(name, text, registry)?;
        config.check(registry, &unused).map_err(|message| ConfigError::meaning(name, message))?;
        Ok(config)
    }

    /// Changes a setting of one of its domains.
    ///
    /// # Errors
    /// The domain is not there, or does not know the setting.
    pub fn set(&mut self, domain: &str, key: &str, value: impl Into<toml::Value>) -> Result<(), ConfigError> {
        let name = &self.name;
        let Some(chosen) = self.domains.iter_mut().find(|chosen| chosen.registration.name == domain) else {
            return Err(ConfigError::meaning(name, format!("the domain `{domain}` is not there")));
        };
        chosen.set(key, value.into()).map_err(|error| ConfigError::syntax(name, "", &error))
    }

    /// One more reduction, which is applied before all others.
    ///
    /// # Errors
    /// There is no such reduction.
    pub fn reduce_first(&mut self, reduction: &str) -> Result<(), ConfigError> {
        let Some(named) = REDUCTIONS.iter().find(|named| named.name == reduction) else {
            return Err(ConfigError::meaning(&self.name, format!("there is no reduction `{reduction}`")));
        };
        self.reductions.insert(0, *named);
        Ok(())
    }

    fn explores(&self) -> bool {
        matches!(self.algorithm, Algorithm::Reachability | Algorithm::Cegar)
    }

    /// Do the parts fit together? `unused` are sections of domains that are not there.
    fn check(&self, registry: &Registry, unused: &[&'static str]) -> Result<(), String> {
        if !self.explores() {
            let has = if !self.domains.is_empty() { Some("domains") } else { None };
            let has = has.or((!self.waitlist.is_empty()).then_some("waitlist"));
            let has = has.or((!self.reductions.is_empty()).then_some("reductions"));
            return match has {
                Some(key) => Err(format!("`{key}` is for the algorithms `reachability` and `cegar`")),
                None => self.check_sections(unused),
            };
        }
        for needed in registry.iter().filter(|registration| registration.is_essential) {
            if !self.domains.iter().any(|chosen| chosen.registration == *needed) {
                return Err(format!("the domain `{}` is missing: explorations need it", needed.name));
            }
        }
        for (index, chosen) in self.domains.iter().enumerate() {
            let registration = chosen.registration;
            if self.domains[..index].iter().any(|other| other.registration == registration) {
                return Err(format!("the domain `{}` is there twice", registration.name));
            }
        }
        self.check_reductions()?;
        self.check_sections(unused)?;
        self.check_domains(registry)
    }

    /// Do the settings of domains fit the rest, and is there something to refine?
    fn check_domains(&self, registry: &Registry) -> Result<(), String> {
        let is_refined = self.algorithm == Algorithm::Cegar;
        let around = Around { is_refined, is_summarised: self.bam.is_some() };
        self.domains.iter().try_for_each(|chosen| chosen.check(&around))?;
        if self.bam.as_ref().is_some_and(|bam| bam.borrow) && !is_refined {
            return Err("`borrow` needs the algorithm `cegar`".to_owned());
        }
        if is_refined && self.refinements().next().is_none() {
            let refinable: Vec<&str> = registry.iter().filter_map(|known| known.refinable).collect();
            return Err(format!("`cegar` needs something to refine: {}", refinable.join(", or ")));
        }
        Ok(())
    }

    /// A reduction needs both of its domains.
    fn check_reductions(&self) -> Result<(), String> {
        for (index, named) in self.reductions.iter().enumerate() {
            if self.reductions[..index].contains(named) {
                return Err(format!("the reduction `{}` is there twice", named.name));
            }
            for needed in [named.from, named.to] {
                if !self.domains.iter().any(|chosen| chosen.registration.name == needed) {
                    return Err(format!("the reduction `{}` needs the domain `{needed}`", named.name));
                }
            }
        }
        Ok(())
    }

    /// Every section belongs to something that is used.
    fn check_sections(&self, unused: &[&'static str]) -> Result<(), String> {
        let is_cut_off = self.is_bounded() || !self.explores();
        let sections = [
            ("loop-bound", self.loop_bound.is_some() && !is_cut_off),
            ("k-induction", self.k_induction.is_some() && self.algorithm != Algorithm::KInduction),
            ("bam", self.bam.is_some() && !self.explores()),
        ];
        let unused = unused.iter().copied();
        let mut unused =
            unused.chain(sections.iter().filter(|(_, is_unused)| *is_unused).map(|(name, _)| *name));
        match unused.next() {
            Some(name) => Err(format!("the section [{name}] is there, but `{name}` is not used")),
            None => Ok(()),
        }
    }

    /// What refinement does with each domain that something refines.
    pub(crate) fn refinements(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.domains.iter().filter_map(Chosen::refinement)
    }

    /// A domain cuts explorations off at a bound.
    pub(crate) fn is_bounded(&self) -> bool {
        self.domains.iter().any(|chosen| chosen.registration.is_bounded)
    }

    /// Formulas are part of the analysis, not only of the check of an error path.
    pub fn uses_formulas(&self) -> bool {
        !self.explores() || self.domains.iter().any(Chosen::has_formulas)
    }

    /// Refinement finds formulas.
    pub(crate) fn refines_formulas(&self) -> bool {
        self.domains.iter().any(|chosen| chosen.has_formulas() && chosen.refinement().is_some())
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

impl EncodingChoice {
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Int => "int",
            Self::Bitvector => "bitvector",
        }
    }
}
