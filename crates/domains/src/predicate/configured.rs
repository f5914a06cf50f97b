//! The section `[predicate]` of configurations, and how the domain and its refiners are made of it.

use super::{BlockPredicateRefiner, Blocks, Predicate, PredicateRefiner, Representation, Settings, Strategy};
use crate::registry::{
    self, Adapted, Around, Configured, Evidence, InvariantSource, Merge, Refiners, Setup, Summarised,
};
use serde::Deserialize;
use summa_cpa::Stop;
use summa_logic::Invariants;

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
pub struct PredicateSettings {
    /// How abstraction formulas are kept.
    pub abstraction: Representation,
    /// The block operator: where abstractions are computed.
    pub blocks: Blocks,
    pub refinement: PredicateRefinement,
    pub forced_covering: bool,
    /// Abstract by one predicate at a time: cheaper and weaker.
    pub cartesian: bool,
    /// `join` is merge_P: path formulas of one block are joined.
    pub merge: Merge,
    /// The source of invariants that are assumed at loop heads.
    pub invariants: InvariantSource,
}

impl Default for PredicateSettings {
    fn default() -> Self {
        Self {
            abstraction: Representation::Bdd,
            blocks: Blocks::Loops,
            refinement: PredicateRefinement::Predicate,
            forced_covering: false,
            cartesian: false,
            merge: Merge::Join,
            invariants: InvariantSource::None,
        }
    }
}

impl PredicateSettings {
    fn settings(&self, summaries: Option<Summarised>) -> Settings {
        Settings {
            representation: self.abstraction,
            blocks: self.blocks,
            strategy: match self.refinement {
                PredicateRefinement::Impact => Strategy::Impact,
                PredicateRefinement::Predicate | PredicateRefinement::None => Strategy::Predicate,
            },
            forced_covering: self.forced_covering,
            cartesian: self.cartesian,
            merge: self.merge == Merge::Join,
            prune: self.blocks == Blocks::Never,
            summaries: summaries.is_some(),
            inline: summaries.map_or(0, |summaries| summaries.inline),
        }
    }
}

impl registry::Settings for PredicateSettings {
    fn explain(&self) -> String {
        let blocks = match self.blocks {
            Blocks::Loops => "abstraction at loop heads (blk^l)",
            Blocks::LoopsAndFunctions => "abstraction at loop heads, calls and returns (blk^lf)",
            Blocks::Never => "no abstraction (blk^never)",
        };
        let states = match self.abstraction {
            Representation::Bdd => "as BDD",
            Representation::Term => "as formula",
        };
        let cartesian = if self.cartesian { ", cartesian" } else { "" };
        let covering = if self.forced_covering { "; forced covering" } else { "" };
        format!("{blocks}, {states}{cartesian}; merge {}{covering}", self.merge.name())
    }

    fn check(&self, around: &Around) -> Result<(), String> {
        match (around, self.refinement) {
            (Around { is_summarised: true, .. }, PredicateRefinement::Impact) => {
                let why = "IMPACT strengthens states that summaries rely on: \
                           use `refinement = \"predicate\"` with [bam]";
                Err(why.to_owned())
            }
            (
                Around { is_refined: false, .. },
                PredicateRefinement::Impact | PredicateRefinement::Predicate,
            ) => Err("`predicate` needs `refinement = \"none\"` here, or the algorithm `cegar`".to_owned()),
            _ => Ok(()),
        }
    }

    fn refinement(&self) -> Option<&'static str> {
        match self.refinement {
            PredicateRefinement::Impact => Some("impact: interpolants strengthen the states of the path"),
            PredicateRefinement::Predicate => {
                Some("predicate: interpolants become predicates of their location")
            }
            PredicateRefinement::None => None,
        }
    }

    /// With blk^never nothing is refined. The refiner decides whether the formula of a target has a model.
    fn decides_targets(&self) -> bool {
        self.blocks == Blocks::Never
    }

    fn has_formulas(&self) -> bool {
        true
    }
}

impl<'a> Configured<'a> for Predicate<'a> {
    const NAME: &'static str = "predicate";
    const WHAT: &'static str = "formulas";
    const REFINABLE: Option<&'static str> = Some("`predicate` with a `refinement`");
    type Settings = PredicateSettings;

    fn make(settings: &PredicateSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        let logic = setup.surroundings.workbench(setup.summaries.is_some())?;
        let (logic, invariants) = match settings.invariants {
            InvariantSource::None => (logic, Invariants::default()),
            source => setup.surroundings.invariants(source, logic)?,
        };
        let mut domain = Self::with(logic, settings.settings(setup.summaries));
        domain.invariants = invariants;
        Ok(domain)
    }

    fn refiners(settings: &PredicateSettings, setup: &Setup<'a, '_>) -> Refiners<'a> {
        let is_refined = settings.refinement != PredicateRefinement::None;
        if !is_refined && settings.blocks != Blocks::Never {
            return Refiners::default();
        }
        let paths = Adapted { refiner: PredicateRefiner::default(), evidence: Evidence::Model };
        Refiners {
            paths: Some(Box::new(paths)),
            blocks: is_refined.then(|| Box::new(BlockPredicateRefiner { component: setup.index }) as _),
        }
    }
}
