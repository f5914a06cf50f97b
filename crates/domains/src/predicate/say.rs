//! What predicate states say: the abstraction formula. What has happened since is a path formula, which no
//! one else understands.

use super::{Blocks, Predicate, PredicatePrecision, PredicateState};
use crate::says::{Fact, ProofStyle, Says};
use summa_logic::{Invariants, Workbench};
use summa_smt::Statistics;
use summa_term::Terms;

impl<'a> Says<'a> for Predicate<'a> {
    fn facts(&self, state: &PredicateState) -> Result<Vec<Fact>, String> {
        let formula = self.abstractions[state.abstraction].formula;
        if !state.is_abstraction && formula != Terms::TRUE {
            return Err("a predicate state inside of a block".to_owned());
        }
        Ok(vec![Fact::Formula(formula)])
    }

    /// Only what was abstracted at the exit itself.
    fn exit_facts(&self, state: &PredicateState) -> Vec<Fact> {
        let formula = self.abstractions[state.abstraction].formula;
        if state.is_abstraction { vec![Fact::Formula(formula)] } else { Vec::new() }
    }

    /// Printing path formulas takes long, and says nothing about all states of a location.
    fn is_telling(&self, state: &PredicateState) -> bool {
        state.is_abstraction && self.abstractions[state.abstraction].formula != Terms::TRUE
    }

    fn proof_style(&self) -> ProofStyle {
        let is_unrolled = self.settings.blocks == Blocks::Never;
        ProofStyle { has_paths: true, is_unrolled, ..ProofStyle::default() }
    }

    fn workbench(&mut self) -> Option<&mut Workbench<'a>> {
        Some(&mut self.logic)
    }

    fn granted(&self) -> Option<&Invariants> {
        Some(&self.invariants)
    }

    fn predicates<'s>(
        &'s self,
        precision: &'s PredicatePrecision,
    ) -> Option<(&'s Workbench<'a>, &'s PredicatePrecision)> {
        Some((&self.logic, precision))
    }

    fn add_predicates(&self, precision: &mut PredicatePrecision, more: &PredicatePrecision) {
        precision.join(more);
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("Abstractions", self.counters.abstractions),
            ("Abstractions reused", self.counters.abstractions_reused),
            ("Forced covers", self.counters.forced_covers),
        ]
    }

    fn solver_statistics(&self) -> Option<Statistics> {
        Some(self.logic.statistics())
    }
}
