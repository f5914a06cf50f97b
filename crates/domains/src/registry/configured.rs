//! How configurations know a domain: its name, its settings, what it is made of, what refines it.
//!
//! [`Configured`] is implemented beside each domain. What a configuration asks of settings without knowing
//! them is in [`Settings`]; what a domain asks of the engine that makes it is in [`Surroundings`].

use super::Domain;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::any::Any;
use std::fmt::Debug;
use summa_bam::BlockRefiner;
use summa_cfa::{Cfa, EdgeId};
use summa_cpa::{ArgId, Cpa, Move, Product, Reached, Refinement, Refiner, Stop};
use summa_facts::Analyses;
use summa_logic::{Counterexample, Invariants, Workbench};

/// The section of a configuration that is named like the domain.
pub trait Settings: Clone + Debug + Default + PartialEq + DeserializeOwned + Send + Sync + 'static {
    /// Is there anything to set?
    const HAS_KEYS: bool = true;

    /// What they are, in a part of a line.
    fn explain(&self) -> String;

    /// Why these settings do not fit the rest of the configuration.
    fn check(&self, _: &Around) -> Result<(), String> {
        Ok(())
    }

    /// What refinement does with the domain, in a line; None if nothing refines it.
    fn refinement(&self) -> Option<&'static str> {
        None
    }

    /// Is the domain asked about every target, though nothing is refined?
    fn decides_targets(&self) -> bool {
        false
    }

    /// Is a state a formula?
    fn has_formulas(&self) -> bool {
        false
    }
}

/// What is around a domain in a configuration.
#[derive(Clone, Copy, Debug)]
pub struct Around {
    /// The algorithm refines.
    pub is_refined: bool,
    /// Blocks are summarised.
    pub is_summarised: bool,
}

/// For domains without settings.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoSettings {}

impl Settings for NoSettings {
    const HAS_KEYS: bool = false;

    fn explain(&self) -> String {
        String::new()
    }
}

/// How states meet, as configurations write it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Merge {
    #[default]
    Sep,
    Join,
}

impl Merge {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sep => "sep",
            Self::Join => "join",
        }
    }
}

/// What is taken for granted at loop heads, by domains with formulas.
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

/// What the engine that makes a domain has for it.
pub trait Surroundings<'a> {
    /// Does passing this edge violate the property?
    fn violations(&self) -> Box<dyn Fn(EdgeId) -> bool + 'a>;

    /// A workbench for formulas; with copies of the values at entries where functions are summarised.
    ///
    /// # Errors
    /// The solver does not start.
    fn workbench(&self, with_copies: bool) -> Result<Workbench<'a>, Stop>;

    /// What holds at loop heads, and the workbench back.
    ///
    /// # Errors
    /// The time is up.
    fn invariants(
        &self,
        source: InvariantSource,
        logic: Workbench<'a>,
    ) -> Result<(Workbench<'a>, Invariants), Stop>;
}

/// What a domain is made from.
pub struct Setup<'a, 's> {
    pub cfa: &'a Cfa,
    pub facts: &'a Analyses,
    /// Its place in the product.
    pub index: usize,
    /// How blocks are summarised, if they are.
    pub summaries: Option<Summarised>,
    pub surroundings: &'s dyn Surroundings<'a>,
}

#[derive(Clone, Copy, Debug)]
pub struct Summarised {
    /// A summary is for one call stack.
    pub keeps_stack: bool,
    /// Which functions are not summarised: see [`summa_facts::blocks::Blocks::new`].
    pub inline: u32,
}

/// A domain as configurations know it.
pub trait Configured<'a>: Cpa + Sized {
    const NAME: &'static str;
    /// What its states say, in a part of a line.
    const WHAT: &'static str;
    /// The setting that lets something refine it, for who looks for one.
    const REFINABLE: Option<&'static str> = None;
    /// Does every exploration need it?
    const IS_ESSENTIAL: bool = false;
    /// Does it cut explorations off at a bound?
    const IS_BOUNDED: bool = false;
    type Settings: Settings;

    /// # Errors
    /// What the domain needs is not to be had.
    fn make(settings: &Self::Settings, setup: &Setup<'a, '_>) -> Result<Self, Stop>;

    /// What refines the domain.
    fn refiners(_: &Self::Settings, _: &Setup<'a, '_>) -> Refiners<'a> {
        Refiners::default()
    }
}

/// Evidence that an error path may be feasible.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The abstract path: whether it is feasible is yet to be seen.
    Path(Vec<Move>),
    /// A model of its formula.
    Model(Counterexample),
}

/// A refiner of a component.
pub type DomainRefiner<'a> = Box<dyn Refiner<Product<Domain<'a>>, Evidence = Evidence> + 'a>;
/// The same for paths through blocks.
pub type DomainBlockRefiner<'a> = Box<dyn BlockRefiner<Product<Domain<'a>>, Evidence = Evidence> + 'a>;

/// The refiners of a component, if it has some.
#[derive(Default)]
pub struct Refiners<'a> {
    pub paths: Option<DomainRefiner<'a>>,
    pub blocks: Option<DomainBlockRefiner<'a>>,
}

/// A refiner with its evidence in words that all share.
pub struct Adapted<R, X> {
    pub refiner: R,
    pub evidence: fn(X) -> Evidence,
}

impl<'a, R: Refiner<Product<Domain<'a>>>> Refiner<Product<Domain<'a>>> for Adapted<R, R::Evidence> {
    type Evidence = Evidence;

    fn refine(
        &mut self,
        product: &mut Product<Domain<'a>>,
        reached: &mut Reached<Product<Domain<'a>>>,
        target: ArgId,
    ) -> Result<Refinement<Evidence>, Stop> {
        Ok(self.refiner.refine(product, reached, target)?.map(self.evidence))
    }
}

// ---- settings without a known type ----

/// Settings of some domain.
pub(super) trait AnySettings: Any + Debug + Send + Sync {
    fn settings_explain(&self) -> String;
    fn settings_check(&self, around: &Around) -> Result<(), String>;
    fn settings_refinement(&self) -> Option<&'static str>;
    fn settings_decide_targets(&self) -> bool;
    fn settings_have_formulas(&self) -> bool;
    fn copied(&self) -> Box<dyn AnySettings>;
    fn equals(&self, other: &dyn AnySettings) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<S: Settings> AnySettings for S {
    fn settings_explain(&self) -> String {
        self.explain()
    }

    fn settings_check(&self, around: &Around) -> Result<(), String> {
        self.check(around)
    }

    fn settings_refinement(&self) -> Option<&'static str> {
        self.refinement()
    }

    fn settings_decide_targets(&self) -> bool {
        self.decides_targets()
    }

    fn settings_have_formulas(&self) -> bool {
        self.has_formulas()
    }

    fn copied(&self) -> Box<dyn AnySettings> {
        Box::new(self.clone())
    }

    fn equals(&self, other: &dyn AnySettings) -> bool {
        other.as_any().downcast_ref::<S>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
