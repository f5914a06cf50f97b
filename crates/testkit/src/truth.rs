//! What is true of a program with few small inputs: found by running it with all of them.
//!
//! Every input of the program must be assumed, right after it was taken, to lie within [`INPUTS`] (or be a
//! `_Bool`). This is checked: a value beyond either end must make the run end there. So what is enumerated is
//! all there is.

use std::ops::RangeInclusive;
use summa_cfa::{Cfa, HavocSource};
use summa_interp::{
    End, FaultKind, InputOrigin, InputRequest, InputSource, InputValue, Outcome, Policy, Program, Scalar,
};

/// The values that inputs may have.
pub const INPUTS: RangeInclusive<i64> = -2..=5;

const MAX_RUNS: usize = 5_000;
const MAX_STEPS: u64 = 200_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// No input leads to an error.
    Safe,
    /// Some input does.
    Error,
    /// Too many or too long runs, undefined behaviour, inputs that are not restricted.
    Unknown(&'static str),
}

/// Is an error reachable?
pub fn truth(cfa: &Cfa) -> Truth {
    let mut has_error = false;
    match every_run(cfa, &mut |outcome| has_error |= outcome.is_error()) {
        Err(why) => Truth::Unknown(why),
        Ok(()) if has_error => Truth::Error,
        Ok(()) => Truth::Safe,
    }
}

/// What the program returns, over all inputs, sorted; runs that end otherwise do not count.
pub fn results(cfa: &Cfa) -> Result<Vec<i32>, &'static str> {
    let mut results = Vec::new();
    every_run(cfa, &mut |outcome| {
        if let End::Returned(value) = outcome.end {
            results.push(value);
        }
    })?;
    results.sort_unstable();
    results.dedup();
    Ok(results)
}

/// Shows every run to `visit`.
fn every_run(cfa: &Cfa, visit: &mut dyn FnMut(&Outcome)) -> Result<(), &'static str> {
    let program = Program::new(cfa);
    let policy = Policy { max_steps: MAX_STEPS, ..Policy::reachability() };
    let mut choices = Choices::default();
    for _ in 0..MAX_RUNS {
        choices.asked = 0;
        let outcome = summa_interp::run(&program, &mut choices, &policy);
        check(&outcome, &choices)?;
        visit(&outcome);
        if !choices.advance() {
            return Ok(());
        }
    }
    Err("too many runs")
}

/// Does this run count as one of a program that means something?
fn check(outcome: &Outcome, choices: &Choices) -> Result<(), &'static str> {
    if choices.has_other {
        return Err("something that is no input is not determined");
    }
    // Overflow wraps around, for all of Summa; all else is a mistake of the generator or of the minimiser.
    let is_defined = |kind| {
        matches!(kind, FaultKind::SignedOverflow | FaultKind::ShiftOverflow | FaultKind::NegativeShift)
    };
    if !outcome.noted.iter().all(|fault| is_defined(fault.kind)) || outcome.is_tainted() {
        return Err("undefined behaviour");
    }
    match outcome.end {
        End::Returned(_) | End::Exit | End::Abort | End::Error { .. } if choices.is_beyond() => {
            Err("inputs that are not restricted")
        }
        // Only at once: later, an input beyond the range may have been used.
        End::AssumptionFailed if choices.is_beyond() && !choices.is_last_beyond() => {
            Err("inputs that are not restricted")
        }
        End::Returned(_) | End::Exit | End::Abort | End::Error { .. } | End::AssumptionFailed => Ok(()),
        End::StepLimit => Err("too many steps"),
        _ => Err("undefined behaviour"),
    }
}

/// The inputs of a run as a path in the tree of all; the next run takes the next path.
#[derive(Debug, Default)]
struct Choices {
    /// Value and last value for each input so far.
    path: Vec<(i64, i64)>,
    asked: usize,
    has_other: bool,
}

impl Choices {
    fn advance(&mut self) -> bool {
        self.path.truncate(self.asked);
        while let Some((value, last)) = self.path.pop() {
            if value < last {
                self.path.push((value + 1, last));
                return true;
            }
        }
        false
    }

    fn is_beyond(&self) -> bool {
        self.path.iter().any(|&(value, last)| last > 1 && !INPUTS.contains(&value))
    }

    fn is_last_beyond(&self) -> bool {
        let before = self.path.split_last().map_or(&[][..], |(_, before)| before);
        !before.iter().any(|&(value, last)| last > 1 && !INPUTS.contains(&value))
    }
}

impl InputSource for Choices {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        if !matches!(request.origin, InputOrigin::Havoc(HavocSource::Input(_))) {
            self.has_other = true;
        }
        if self.asked == self.path.len() {
            let is_bool = request.scalar == Scalar::Bool;
            // One value too small, and one too large.
            self.path.push(if is_bool { (0, 1) } else { (INPUTS.start() - 1, INPUTS.end() + 1) });
        }
        let (value, _) = self.path[self.asked];
        self.asked += 1;
        Some(InputValue::Int(i128::from(value)))
    }
}
