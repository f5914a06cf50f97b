//! The search in rounds: many short executions, then fewer long ones. Engines may have a first look between
//! the first rounds and the others.
//!
//! The search counts steps, and bytes that are moved without steps, so it repeats on every machine. Real time
//! ends it only if steps are extremely slow.

use super::inputs::Inputs;
use super::{MAX_MEMORY, Search, policy_for};
use crate::property::Property;
use std::collections::VecDeque;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::Cfa;
use summa_interp::{End, Policy, Program};

/// Executions of one length: limits for the steps of each, and for the steps and executions together.
struct Round {
    steps_each: u64,
    steps_together: u64,
    runs: u64,
}

/// A first look, which takes some hundredths of a second. It finds errors that most inputs reach, also after
/// a loop over an array.
const FIRST_ROUNDS: [Round; 4] = [
    Round { steps_each: 4_000, steps_together: 1_000_000, runs: 4_000 },
    Round { steps_each: 40_000, steps_together: 500_000, runs: 100 },
    Round { steps_each: 400_000, steps_together: 1_000_000, runs: 4 },
    Round { steps_each: 4_000_000, steps_together: 4_000_000, runs: 1 },
];

/// The most time of the first look, if steps are slow.
const FIRST_TIME: Duration = Duration::from_secs(2);

const ROUNDS: [Round; 5] = [
    Round { steps_each: 4_000, steps_together: 10_000_000, runs: 40_000 },
    Round { steps_each: 40_000, steps_together: 5_000_000, runs: 20_000 },
    Round { steps_each: 400_000, steps_together: 8_000_000, runs: 5_000 },
    Round { steps_each: 4_000_000, steps_together: 24_000_000, runs: 1_000 },
    Round { steps_each: 40_000_000, steps_together: 40_000_000, runs: 100 },
];

/// After this many executions of a round it is known whether they are too short.
const ENOUGH_TO_JUDGE: u64 = 16;

/// A search in rounds. Engines may have a look between the rounds.
pub struct Hunt<'c> {
    program: Program<'c>,
    property: &'c Property,
    inputs: Inputs,
    whole: &'c Budget,
    /// The number of the next execution, which determines its inputs.
    number: u64,
    /// Executions with special inputs that were too short in the last round.
    cut: VecDeque<u64>,
    is_over: bool,
    /// The steps that all rounds together may still take.
    left: u64,
    found: Search,
}

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    pub steps: u64,
    /// The time limit, for slow steps.
    pub time: Duration,
}

impl Effort {
    /// Steps of an interpreter in a second, rather too many than too few.
    const SPEED: f64 = 60e6;

    /// The number of steps that usually fit into this time, and twice the time as a guard.
    pub fn of(time: Duration) -> Self {
        Self { steps: (time.as_secs_f64() * Self::SPEED) as u64, time: time.saturating_mul(2) }
    }
}

impl<'c> Hunt<'c> {
    pub fn new(cfa: &'c Cfa, property: &'c Property, whole: &'c Budget) -> Self {
        let (program, inputs) = (Program::new(cfa), Inputs::new(cfa));
        let (cut, found) = (VecDeque::new(), Search::default());
        Self { program, property, inputs, whole, number: 0, cut, is_over: false, left: u64::MAX, found }
    }

    /// A first look at executions: is the question still open, without any doubt?
    pub fn is_open_at_first_sight(&mut self) -> bool {
        self.rounds(&FIRST_ROUNDS, &self.whole.at_most(FIRST_TIME));
        // Large objects make executions of few steps slow; there is more time for them later.
        if self.found.stopped.is_some() && self.whole.check_now().is_ok() {
            (self.found.stopped, self.is_over) = (None, false);
        }
        let Search { violation, doubtful, unsupported, stopped, .. } = &self.found;
        let is_plain =
            violation.is_none() && doubtful.is_none() && unsupported.is_none() && stopped.is_none();
        is_plain && !self.found.is_proof(self.program.cfa)
    }

    /// What was found so far. If assumptions stopped every execution, more are tried, so that this is not
    /// reported too early.
    pub fn until_one_is_not_excluded(mut self, effort: Effort) -> Search {
        let budget = self.whole.at_most(effort.time);
        self.left = effort.steps;
        for round in &ROUNDS {
            if self.found.excluded == self.found.runs {
                self.rounds(std::slice::from_ref(round), &budget);
            }
        }
        self.found
    }

    /// Continues until the rounds or the effort are used up. A violation is always repeated, if necessary in
    /// the time of other stages.
    pub fn until_the_end(mut self, effort: Effort) -> Search {
        self.left = effort.steps;
        self.rounds(&ROUNDS, &self.whole.at_most(effort.time));
        self.found
    }

    fn rounds(&mut self, rounds: &[Round], budget: &Budget) {
        let policy = Policy { budget: budget.clone(), max_memory: MAX_MEMORY, ..policy_for(self.property) };
        for round in rounds {
            let policy = Policy { max_steps: round.steps_each, ..policy.clone() };
            let again = Policy { budget: self.whole.clone(), ..policy.clone() };
            let (mut runs, mut cut, mut steps) = (0, 0, 0);
            let mut specials = std::mem::take(&mut self.cut);
            while !self.is_over && runs < round.runs && steps < round.steps_together && self.left > 0 {
                // Special inputs have their turn in every round, besides new ones.
                let special = if runs % 2 == 0 { specials.pop_front() } else { None };
                let number = special.unwrap_or(self.number);
                self.number += u64::from(special.is_none());
                let outcome = summa_interp::run(&self.program, self.inputs.of(number).as_mut(), &policy);
                runs += 1;
                steps += outcome.work();
                self.left = self.left.saturating_sub(outcome.work());
                if outcome.end == End::StepLimit {
                    cut += 1;
                    self.cut.extend(Inputs::is_special(number).then_some(number));
                }
                let takes_inputs = self.found.takes_inputs(self.program.cfa, &outcome);
                self.is_over = self.found.take(&self.program, &again, self.property, outcome);
                // The only execution needs more steps, or most of those that were tried do.
                if !takes_inputs || runs >= ENOUGH_TO_JUDGE && 2 * cut > runs {
                    break;
                }
            }
            self.cut.append(&mut specials);
        }
    }
}
