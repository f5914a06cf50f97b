//! Summaries of one engine as predicates for another.
//!
//! Intervals and equations are found sooner than predicates, and hold in every arithmetic. What a complete
//! summary requires and ensures is the contract of its function. An engine with predicates begins with what
//! these contracts say about results at the exits of functions, instead of finding it in one refinement after
//! another. Predicates are a precision: the engine asks the solver whether they hold, so nothing is believed.
//!
//! Limits: what contracts require is not among the predicates. At the entry of a function it would
//! distinguish more entries, each of which needs a summary of its own. Measured: that costs more than it
//! saves.

use super::say::{Said, Sayings, Writer};
use super::summaries::{cells_of, contract};
use crate::task::Task;
use summa_bam::Bam;
use summa_base::FxHashMap;
use summa_c::tree::FuncId;
use summa_cpa::Product;
use summa_domains::says::{Fact, PredicatePrecision, Row, Says, ScalarFact};
use summa_domains::scalars::kept_parameters;
use summa_domains::{AnyState, Domain};
use summa_encode::{CellId, Interface};
use summa_facts::blocks::{BlockKind, Partition};
use summa_logic::Workbench;

/// A function with more summaries is followed value by value, and what they have in common is in none of
/// them.
const MAX_SUMMARIES: usize = 4;
/// The most predicates at one location from all summaries of a function: each makes abstraction more
/// expensive.
const MAX_PREDICATES: usize = 12;
/// Larger atoms are no predicates that a person would write.
const MAX_ATOM_SIZE: usize = 24;

/// The facts of a state, independent of an arithmetic.
#[derive(Clone, Debug, PartialEq)]
struct Facts {
    facts: Vec<ScalarFact>,
    equations: Vec<Row>,
}

/// A complete summary of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard {
    function: FuncId,
    entry: Facts,
    exits: Vec<Facts>,
}

/// The summaries of a run that can be expressed without formulas.
pub(crate) fn hear(bam: &Bam<'_, Product<Domain<'_>>>) -> Vec<Heard> {
    let mut heard: Vec<Heard> = Vec::new();
    for id in bam.store.held() {
        let summary = &bam.store.summaries[id];
        let BlockKind::Function(function) = bam.blocks.blocks[summary.block].kind else { continue };
        if function == bam.cfa.start || !summary.is_complete || summary.users.is_empty() {
            continue;
        }
        let said = |state: &[AnyState]| {
            let mut said = Facts { facts: Vec::new(), equations: Vec::new() };
            for (component, state) in bam.cpa.components.iter().zip(state) {
                for fact in component.facts(state).unwrap_or_default() {
                    match fact {
                        Fact::Scalar(fact) => said.facts.push(fact),
                        Fact::Zero(row) => said.equations.push(row),
                        // What only some arithmetic says, and bounds that predicates find as soon.
                        Fact::Formula(_) | Fact::AtMost(_) => {}
                    }
                }
            }
            said
        };
        let exits = summary.exits.iter().map(|exit| said(&exit.state)).collect();
        heard.push(Heard { function, entry: said(&summary.entry), exits });
    }
    let mut counts: FxHashMap<FuncId, usize> = FxHashMap::default();
    for one in &heard {
        *counts.entry(one.function).or_default() += 1;
    }
    heard.retain(|one| counts[&one.function] <= MAX_SUMMARIES);
    heard
}

/// What contracts say about outputs, at the exits of their functions.
pub(crate) fn predicates(task: &Task<'_>, logic: &mut Workbench<'_>, heard: &[Heard]) -> PredicatePrecision {
    let (cfa, facts) = (task.cfa, task.facts);
    let blocks = facts.blocks(cfa, Partition::Functions);
    let kept = kept_parameters(cfa, facts);
    let mut sayings = Sayings::new(facts);
    let mut say = |one: &Facts| Said { equations: one.equations.clone(), ..sayings.of_facts(&one.facts) };
    let said: Vec<(FuncId, Said, Vec<Said>)> = heard
        .iter()
        .map(|one| (one.function, say(&one.entry), one.exits.iter().map(&mut say).collect()))
        .collect();
    let mut writer = Writer::new(&mut logic.paths.encoder, &sayings);
    let mut precision = PredicatePrecision::default();
    for (function, entry, exits) in said {
        let Some(automaton) = cfa.automaton(function) else { continue };
        let Some(block) = blocks.entered_at(automaton.entry).map(|id| &blocks.blocks[id]) else { continue };
        let interface = Interface::new(writer.encoder, block).with_outer_locals(writer.encoder, function);
        let (_, ensures) = contract(cfa, &kept, &mut writer, &interface, function, (&entry, exits));
        let encoder = &*writer.encoder;
        let mut atoms = encoder.terms.atoms(ensures);
        atoms.retain(|&atom| {
            // Requirements on inputs alone would only distinguish more entries.
            let is_output = |&cell: &CellId| encoder.cells.original(cell).is_none();
            encoder.terms.size(atom) <= MAX_ATOM_SIZE && cells_of(encoder, atom).iter().any(is_output)
        });
        atoms.truncate(MAX_PREDICATES.saturating_sub(precision.at(automaton.exit).len()));
        precision.add(automaton.exit, &atoms);
    }
    precision
}
