//! Counted work: a measure of time that repeats from run to run.
//!
//! What an engine may do with its share must not depend on the speed or load of the machine. Otherwise
//! verdicts would depend on them too. So each thread counts what it does, in units whose number is the same
//! in two runs with the same input: questions to the solver and the solver's own unit, steps of executions,
//! looks at the budget, allocations of memory. One table ([`Unit`]) gives each unit a price, about the time
//! that it takes on an ordinary machine. The sum is *counted time*.
//!
//! Three kinds of time limit a run:
//! * Counted time: the shares of engines, the limits of single questions, and `--work-limit` for the whole
//!   run.
//! * Time on the wall: the limit that a user names.
//! * Time of the processor: a limit that the system sets for the process.
//!
//! What cannot be counted: some calls of the solver do not look at their count (one tactic, and projection in
//! the elimination of quantifiers). These end by processor time. What counts nothing ends by a guard in real
//! time, after [`PATIENCE`] times its share: a margin so wide that it only ends what hangs. With `--jobs`,
//! the first engine that answers wins, so such runs need not repeat. `crates/cli/tests/repeat.rs` compares
//! whole outputs.
//!
//! Limits: what happens between two units is not seen.

use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::time::Duration;

/// A guard in real time allows this many times the time that the work should take.
pub const PATIENCE: u32 = 8;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The unit that Z3 counts itself (`rlimit`).
    Solver,
    /// A question to the solver.
    Question,
    /// A step of an execution.
    Step,
    /// A look at the budget: is it used up?
    Look,
    /// A request for memory. Only the program `summa` counts it; the allocators of tests do not.
    Allocation,
}

/// The price of each unit in nanoseconds, with all that goes with it. The prices are fitted to 161 stages of
/// engines on 60 public tasks. Of those that took longer than 30 ms, half took between 0.8 and 1.5 times as
/// long as counted, and all but one in twenty between 0.5 and 2.3 times.
const PRICES: [u64; 5] = [260, 300_000, 8, 3_000, 60];

thread_local! {
    static COUNTS: [Cell<u64>; PRICES.len()] = const { [const { Cell::new(0) }; PRICES.len()] };
}

/// Adds `number` units to the count of this thread.
#[inline]
pub fn count(unit: Unit, number: u64) {
    COUNTS.with(|counts| {
        let cell = &counts[unit as usize];
        cell.set(cell.get().wrapping_add(number));
    });
}

/// What this thread has counted, as a time.
pub fn counted() -> Duration {
    let nanos = COUNTS.with(|counts| {
        counts
            .iter()
            .zip(PRICES)
            .fold(0u64, |sum, (count, price)| sum.saturating_add(count.get().saturating_mul(price)))
    });
    Duration::from_nanos(nanos)
}

/// How many units of the solver use up this time; at least one.
pub fn solver_units(time: Duration) -> u32 {
    let units = time.as_nanos().div_ceil(u128::from(PRICES[Unit::Solver as usize]));
    u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

/// How many steps use up this time.
pub fn steps(time: Duration) -> u64 {
    u64::try_from(time.as_nanos() / u128::from(PRICES[Unit::Step as usize])).unwrap_or(u64::MAX)
}

/// How long this thread has worked, by the clock of the processor.
pub fn of_thread() -> Duration {
    time(ClockId::ThreadCPUTime)
}

/// How long all threads of this process have worked, by the clock of the processor.
pub fn of_process() -> Duration {
    time(ClockId::ProcessCPUTime)
}

fn time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    // Seconds and nanoseconds are not negative.
    let (seconds, nanos) =
        (u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0));
    Duration::new(seconds, nanos)
}

/// The counted work of this thread since a start.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    started: Duration,
}

impl Work {
    pub fn start() -> Self {
        Self { started: counted() }
    }

    pub fn elapsed(self) -> Duration {
        counted().saturating_sub(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_counted_counts() {
        let work = Work::start();
        assert_eq!(work.elapsed(), Duration::ZERO);
        count(Unit::Step, 1_000_000);
        assert_eq!(work.elapsed(), Duration::from_nanos(1_000_000 * PRICES[Unit::Step as usize]));
        // Another thread begins at its own beginning.
        assert_eq!(std::thread::spawn(counted).join().expect("a thread"), Duration::ZERO);
    }

    #[test]
    fn the_processor_counts_too() {
        let (thread, process) = (of_thread(), of_process());
        // Ends as soon as both have gone on.
        while of_thread() == thread || of_process() == process {}
        assert!(of_thread() > thread && of_process() > process);
    }

    #[test]
    fn times_are_units_of_the_solver() {
        let price = PRICES[Unit::Solver as usize];
        assert_eq!(solver_units(Duration::from_nanos(7 * price)), 7);
        assert_eq!((solver_units(Duration::ZERO), solver_units(Duration::MAX)), (1, u32::MAX));
    }
}
