//! The search for concrete bugs, and everything that is decided by executions.
//!
//! The search tries executions with zero, small and random inputs and with constants of the program. It
//! begins with many short ones and goes on with fewer long ones, until one violates the property ([`hunt`]).
//! If engines find nothing either, executions continue others that reached something new ([`guided`]). An
//! execution with a violation, from here or from an engine, is simplified before it is shown
//! ([`mod@shrink`]).
//!
//! The program and the property determine everything: seeds are counted, rounds are limited in steps. Only a
//! budget that is nearly used up can end the search early. A violation counts only if a second execution with
//! the recorded inputs ends in the same way, and if nothing outside of the program took part in it. Otherwise
//! it is reported as doubtful.

mod addresses;
mod guided;
mod hunt;
mod inputs;
mod judge;
mod model;
mod only;
mod replayed;
mod shrink;

use crate::property::Property;
use guided::Guided;
pub use hunt::{Effort, Hunt};
use inputs::Inputs;
use judge::undefined_property;
pub use judge::{describe_taint, policy_for};
pub use model::ModelInputs;
pub use only::{RepeatedExecution, execute_only, violation_without_memory};
use replayed::Judged;
pub use replayed::ReplayedViolation;
pub use shrink::shrink;
use std::cell::OnceCell;
use summa_base::{Budget, Exhausted};
use summa_cfa::{Cfa, EdgeId};
use summa_facts::idle::Idle;
use summa_interp::{
    End, Fault, FaultKind, InputRecord, InputSource, List, Observer, Outcome, Policy, Program, Taint,
};

/// The result of a search.
#[derive(Debug, Default)]
pub struct Search {
    pub violation: Option<ReplayedViolation>,
    /// The first violation that supports no verdict.
    pub doubtful: Option<Doubtful>,
    /// The first construct without support that an execution ran into.
    pub unsupported: Option<(String, EdgeId)>,
    /// Why the search ended before its time.
    pub stopped: Option<Exhausted>,
    /// The program asks for no inputs but such that decide nothing, and its only execution ended.
    pub is_exhaustive: bool,
    /// The only execution returned from the entry function or called `exit` or `abort`, and nothing in it was
    /// undefined, or unknown and of influence.
    is_clean: bool,
    pub runs: u64,
    /// Undefined behaviour that the property does not ask for: an execution ended there.
    pub undefined: Option<Fault>,
    /// The first executions that ran into undefined behaviour: one that ended there, and one that continued.
    faulty: [Option<(FaultKind, Vec<InputRecord>)>; 2],
    /// The executions among them that stopped at an assumption.
    pub excluded: u64,
    pub steps: u64,
    /// The steps of the last execution alone.
    pub last_steps: u64,
    /// Which inputs decide nothing; found when it is first asked for.
    idle: OnceCell<Idle>,
}

/// An execution that violates the property, before it is repeated.
#[derive(Clone, Debug)]
pub struct Violation {
    /// For the verdict: the property or the violated part of it.
    pub property: String,
    /// The violation in words.
    pub what: String,
    pub edge: EdgeId,
    pub outcome: Outcome,
}

/// A violation that supports no verdict.
#[derive(Clone, Debug)]
pub struct Doubtful {
    pub violation: Violation,
    /// The reason why it supports no verdict.
    pub why: String,
}

/// The length of an execution that continues another one.
const GUIDED_STEPS: u64 = 40_000;

/// Memory of the interpreted program; generous for a search among small executions.
const MAX_MEMORY: u64 = 256 << 20;

/// Executions that were asked for end by themselves, or with the time.
const CONFIRM_STEPS: u64 = u64::MAX;

/// Searches for a violation by executions that continue others ([`guided`]), as long as they reach something
/// new.
pub fn search_guided(cfa: &Cfa, property: &Property, effort: Effort, budget: &Budget) -> Search {
    let budget = &budget.at_most(effort.time);
    let program = Program::new(cfa);
    let again = Policy { budget: budget.clone(), max_memory: MAX_MEMORY, ..policy_for(property) };
    let policy = Policy { max_steps: GUIDED_STEPS, ..again.clone() };
    let mut search = Search::default();
    let inputs = Inputs::new(cfa);
    let mut guided = Guided::new(cfa, &inputs);
    while guided.is_promising() && guided.work() < effort.steps {
        let outcome = guided.run(&program, &policy);
        if search.take(&program, &again, property, outcome) {
            break;
        }
    }
    search
}

/// Executes the program with the given inputs: does that violate the property? If so it is repeated, in the
/// time of the whole run.
pub fn execute(
    cfa: &Cfa,
    property: &Property,
    inputs: &mut dyn InputSource,
    budget: &Budget,
    whole: &Budget,
) -> Search {
    let run = |program: &Program<'_>, policy: &Policy| summa_interp::run(program, inputs, policy);
    execute_by(cfa, property, budget, whole, run)
}

/// The same, and the observer sees every step.
fn observe(
    cfa: &Cfa,
    property: &Property,
    inputs: &mut dyn InputSource,
    observer: &mut dyn Observer,
    budget: &Budget,
) -> Search {
    let run = |program: &Program<'_>, policy: &Policy| {
        summa_interp::run_observed(program, inputs, policy, observer)
    };
    execute_by(cfa, property, budget, budget, run)
}

fn execute_by(
    cfa: &Cfa,
    property: &Property,
    budget: &Budget,
    whole: &Budget,
    run: impl FnOnce(&Program<'_>, &Policy) -> Outcome,
) -> Search {
    let program = Program::new(cfa);
    let policy = Policy {
        budget: budget.clone(),
        max_memory: MAX_MEMORY,
        max_steps: CONFIRM_STEPS,
        ..policy_for(property)
    };
    let mut search = Search::default();
    let outcome = run(&program, &policy);
    let again = Policy { budget: whole.clone(), ..policy };
    search.take(&program, &again, property, outcome);
    search
}

impl Search {
    /// The properties that executions violated by their undefined behaviour, with the inputs of those.
    pub fn undefined(&self) -> impl Iterator<Item = (Property, List)> + '_ {
        let found = self.faulty.iter().flatten();
        found.filter_map(|(kind, inputs)| Some((undefined_property(*kind)?, List::replay(inputs))))
    }

    /// Does the execution depend on inputs?
    fn takes_inputs(&self, cfa: &Cfa, outcome: &Outcome) -> bool {
        !outcome.inputs.is_empty() && {
            let idle = self.idle.get_or_init(|| Idle::new(cfa));
            !outcome.inputs.iter().all(|input| idle.edges.contains(input.request.edge))
        }
    }

    /// Learns from an execution, which is repeated with this policy if it violates the property. True: the
    /// search is over.
    fn take(&mut self, program: &Program<'_>, again: &Policy, property: &Property, outcome: Outcome) -> bool {
        self.runs += 1;
        self.steps += outcome.steps;
        self.last_steps = outcome.steps;
        self.excluded += u64::from(outcome.end == End::AssumptionFailed);
        if let End::Fault(fault) = &outcome.end {
            self.undefined.get_or_insert(*fault);
            self.faulty[0].get_or_insert_with(|| (fault.kind, outcome.inputs.clone()));
        } else if let Some(fault) =
            outcome.noted.iter().find(|fault| undefined_property(fault.kind).is_some())
        {
            self.faulty[1].get_or_insert_with(|| (fault.kind, outcome.inputs.clone()));
        }
        match &outcome.end {
            End::Interrupted(why) => self.stopped = Some(*why),
            End::Unsupported { what, edge } if self.unsupported.is_none() => {
                self.unsupported = Some((what.clone(), *edge));
            }
            End::StepLimit | End::MemoryLimit | End::AddressLimit | End::Unsupported { .. } => {}
            end => {
                self.is_exhaustive = !self.takes_inputs(program.cfa, &outcome);
                let is_end = matches!(end, End::Returned(_) | End::Exit | End::Abort);
                let is_idle = |taint: &Taint| matches!(taint, Taint::ExternalResult(_)) && self.is_exhaustive;
                self.is_clean = is_end && outcome.taints.iter().all(is_idle) && outcome.noted.is_empty();
            }
        }
        match replayed::judge(program, again, property, outcome) {
            Judged::NoViolation => {}
            Judged::Violation(violation) => self.violation = Some(*violation),
            Judged::Doubtful(doubtful) => {
                self.doubtful.get_or_insert(*doubtful);
            }
            Judged::Stopped(why) => self.stopped = Some(why),
        }
        self.violation.is_some() || self.stopped.is_some() || self.is_exhaustive
    }
}
