//! Invariants that engines assume, as lemmas of their proofs.
//!
//! Engines use what holds at a loop head in all contexts, which need not be inductive. The states from which
//! it was computed are inductive: they are the lemma. What was found on top of them (equations, templates) is
//! inductive relative to them, and is the next lemma.

use super::say::{Said, Sayings, Writer};
use crate::invariants::intervals::{HeadState, Round, analyse, formulas};
use crate::task::Task;
use std::collections::BTreeMap;
use summa_cfa::NodeId;
use summa_encode::Encoder;
use summa_logic::{Invariants, Workbench};
use summa_proof::{Draft, Place, Point};
use summa_term::{Term, Terms};

/// Lemmas, layer by layer.
#[derive(Debug, Default)]
pub(crate) struct Lemmas {
    layers: Vec<Layer>,
}

#[derive(Debug)]
enum Layer {
    /// States of an analysis: one of them holds.
    States(Vec<HeadState>),
    /// Formulas of loop heads, whatever the context.
    Formulas(Vec<Place>, BTreeMap<NodeId, Term>),
}

impl Lemmas {
    pub(crate) fn add_states(&mut self, states: Vec<HeadState>) {
        self.layers.push(Layer::States(states));
    }

    /// Adds the new parts of some invariants, at these cut points.
    pub(crate) fn add_formulas(
        &mut self,
        terms: &mut Terms,
        places: Vec<Place>,
        known: &Invariants,
        invariants: &Invariants,
    ) {
        let mut new = BTreeMap::new();
        for (&node, &formula) in invariants {
            let known = known.get(&node).map_or(Vec::new(), |&known| terms.conjuncts(known));
            let mut more = terms.conjuncts(formula);
            more.retain(|conjunct| !known.contains(conjunct));
            new.insert(node, terms.and(&more));
        }
        if new.values().any(|&formula| formula != Terms::TRUE) {
            self.layers.push(Layer::Formulas(places, new));
        }
    }

    /// Invariants that were assumed: those of intervals are searched for again, now with their states.
    pub(super) fn of_invariants(
        task: &Task<'_>,
        logic: &mut Workbench<'_>,
        invariants: &Invariants,
    ) -> Result<Self, String> {
        let analysed = analyse(task.cfa, task.facts, Round::FIRST, &task.budget);
        let analysed = analysed.map_err(|_| "intervals were not found again".to_owned())?.unwrap_or_default();
        let known = formulas(logic, &analysed.heads);
        let mut lemmas = Self::default();
        let mut places: Vec<Place> = analysed.states.iter().map(|state| state.place.clone()).collect();
        places.sort_unstable();
        places.dedup();
        lemmas.add_states(analysed.states);
        lemmas.add_formulas(logic.terms(), places, &known, invariants);
        Ok(lemmas)
    }

    /// Are there lemmas, all without formulas? A formula would belong to one arithmetic.
    pub(super) fn are_states(&self) -> bool {
        !self.layers.is_empty() && self.layers.iter().all(|layer| matches!(layer, Layer::States(_)))
    }

    pub(super) fn write(&self, encoder: &mut Encoder<'_>, draft: &mut Draft) {
        for layer in &self.layers {
            let points = match layer {
                Layer::States(states) => {
                    let mut sayings = Sayings::new(encoder.facts);
                    let said: Vec<(Place, Said)> = states
                        .iter()
                        .map(|state| (state.place.clone(), sayings.of_facts(&state.facts)))
                        .collect();
                    Writer::new(encoder, &sayings).points(draft, said)
                }
                Layer::Formulas(places, at) => {
                    let mut points = Vec::new();
                    for place in places {
                        let formula = at.get(&place.node).copied().unwrap_or(Terms::TRUE);
                        points.push(Point { place: place.clone(), formula: draft.formula(formula) });
                    }
                    points
                }
            };
            draft.lemmas.push(points);
        }
    }
}
