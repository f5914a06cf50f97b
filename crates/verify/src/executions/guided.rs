//! Executions that build on each other: an execution that reached something new is continued.
//!
//! Programs that take one input after the other and keep a state (reactive programs, protocols) end soon when
//! inputs are drawn blindly, because most values are refused. So the beginnings of executions that took a
//! branch for the first time are kept. New executions repeat such a beginning, and go on with values that
//! were followed by another input before, at the same place of the program.
//!
//! Deterministic, except for the budget. Limits: only whether a branch is taken counts, not how often or in
//! which state.

use super::inputs::Inputs;
use summa_base::FxHashMap;
use summa_cfa::{Cfa, EdgeId, HavocSource};
use summa_interp::{
    Coverage, InputOrigin, InputRecord, InputRequest, InputSource, InputValue, Outcome, Policy, Program,
    Random,
};

/// The most values that are remembered for a place that asks for inputs.
const MAX_ACCEPTED: usize = 64;
/// The number of steps from the start that may lead to nothing new.
const PATIENCE: u64 = 30_000_000;
/// Longer beginnings are not kept.
const MAX_BEGINNING: usize = 4_000;

/// What earlier executions have taught.
pub(super) struct Guided<'g> {
    inputs: &'g Inputs,
    coverage: Coverage,
    beginnings: Vec<Beginning>,
    /// By the edge that asks: values after which the program went on to ask.
    accepted: FxHashMap<EdgeId, Vec<InputValue>>,
    /// The number of executions so far.
    number: u64,
    /// The steps of all executions, and (below) those until the last one that reached something new.
    steps: u64,
    steps_until_new: u64,
    work: u64,
}

/// Inputs that reached something new.
struct Beginning {
    values: Vec<InputValue>,
    /// How often it was continued.
    tries: u32,
}

impl<'g> Guided<'g> {
    pub(super) fn new(cfa: &Cfa, inputs: &'g Inputs) -> Self {
        let beginnings = vec![Beginning { values: Vec::new(), tries: 0 }];
        Self {
            inputs,
            coverage: Coverage::new(cfa),
            beginnings,
            accepted: FxHashMap::default(),
            number: 0,
            steps: 0,
            steps_until_new: 0,
            work: 0,
        }
    }

    /// Is it worthwhile to continue? Not if the second half of all steps, and some more, found nothing new.
    pub(super) fn is_promising(&self) -> bool {
        self.steps - self.steps_until_new <= self.steps_until_new + PATIENCE
    }

    /// What all executions cost so far, in steps.
    pub(super) fn work(&self) -> u64 {
        self.work
    }

    /// Executes the program once more.
    pub(super) fn run(&mut self, program: &Program<'_>, policy: &Policy) -> Outcome {
        self.number += 1;
        let mut random = Random::new(self.number);
        // The newest of those that were tried least.
        let chosen = self.beginnings.iter_mut().rev().min_by_key(|beginning| beginning.tries);
        let values = match chosen {
            Some(beginning) => {
                beginning.tries += 1;
                // The last inputs may have led to what is new, or away from it.
                let all = beginning.values.len();
                let kept = match below(&mut random, 8) {
                    0..=3 => all,
                    4..=5 => all.saturating_sub(1),
                    6 => all.saturating_sub(2),
                    _ => below(&mut random, all + 1),
                };
                &beginning.values[..kept]
            }
            None => &[],
        };
        let others = self.inputs.of(self.number + 8);
        let mut source = Continued { values, at: 0, accepted: &self.accepted, random, others };
        let outcome = summa_interp::run_covering(program, &mut source, policy, &mut self.coverage);
        self.steps += outcome.steps;
        self.work += outcome.work();
        self.learn(&outcome.inputs);
        outcome
    }

    fn learn(&mut self, inputs: &[InputRecord]) {
        if let Some(taken) = self.coverage.take_new().filter(|taken| *taken <= MAX_BEGINNING) {
            self.steps_until_new = self.steps;
            let values = inputs.iter().take(taken).map(InputRecord::value).collect();
            self.beginnings.push(Beginning { values, tries: 0 });
        }
        let followed = inputs.len().saturating_sub(1);
        for input in &inputs[..followed] {
            if is_asked_for(input.request.origin) {
                let accepted = self.accepted.entry(input.request.edge).or_default();
                let value = input.value();
                if accepted.len() < MAX_ACCEPTED && !accepted.contains(&value) {
                    accepted.push(value);
                }
            }
        }
    }
}

/// Is it an input function that asks?
fn is_asked_for(origin: InputOrigin) -> bool {
    matches!(origin, InputOrigin::Havoc(HavocSource::Input(_)))
}

/// The inputs of a beginning, then accepted ones and, more rarely, others.
struct Continued<'c> {
    values: &'c [InputValue],
    at: usize,
    accepted: &'c FxHashMap<EdgeId, Vec<InputValue>>,
    random: Random,
    others: Box<dyn InputSource>,
}

impl InputSource for Continued<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        if let Some(&value) = self.values.get(self.at) {
            self.at += 1;
            return Some(value);
        }
        let accepted = self.accepted.get(&request.edge).filter(|_| is_asked_for(request.origin));
        match accepted {
            Some(accepted) if below(&mut self.random, 64) != 0 => {
                Some(accepted[below(&mut self.random, accepted.len())])
            }
            _ => self.others.next(request),
        }
    }
}

/// A number below the limit.
fn below(random: &mut Random, limit: usize) -> usize {
    (random.draw() % limit.max(1) as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::super::{Effort, search_guided};
    use crate::property::Property;
    use std::fmt::Write;
    use std::time::Duration;
    use summa_base::Budget;
    use summa_c::types::DataModel;
    use summa_cfa::BuildOptions;

    /// A lock that opens after these numbers. A wrong one closes it again, one that is not on it ends the
    /// program.
    fn lock(numbers: &[u32]) -> String {
        let mut text =
            "int __VERIFIER_nondet_int(void); void reach_error(void);\nint main(void) { int state = 0;\n\
             while (1) { int x = __VERIFIER_nondet_int(); if (x < 1 || x > 6) return 0;\n"
                .to_owned();
        for (state, number) in numbers.iter().enumerate() {
            let _ = writeln!(
                text,
                "if (state == {state} && x == {number}) {{ state = {}; continue; }}",
                state + 1
            );
        }
        let _ = writeln!(text, "if (state == {}) reach_error(); state = 0; }} }}", numbers.len());
        text
    }

    #[test]
    fn what_was_accepted_is_continued() {
        let text = lock(&[3, 1, 4, 1, 5, 2, 6, 5, 3, 5, 6, 4]);
        let loaded = summa_c::load_text("lock.c", &text, DataModel::Ilp32).unwrap();
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        let property = Property::Unreachable { functions: vec!["reach_error".to_owned()], asserts: true };
        let effort = Effort { steps: u64::MAX, time: Duration::MAX };
        let found = search_guided(&cfa, &property, effort, &Budget::unlimited());
        let violation = found.violation.expect("one number after the other is found");
        assert!(violation.outcome.inputs.len() > 12);
    }
}
