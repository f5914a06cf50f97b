//! What a run may use: wall time and steps, and the flag by which anyone can stop it.
//!
//! A budget is asked often (`check` costs a counter increment; the clock is read every few hundred calls).

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a budget said stop. Becomes the reason of an UNKNOWN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    Time,
    Interrupted,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Time => "time limit",
            Self::Interrupted => "interrupted",
        })
    }
}

/// The limits of one run. Clones share the interrupt flag.
#[derive(Clone, Debug)]
pub struct Budget {
    deadline: Option<Instant>,
    interrupt: Arc<AtomicBool>,
    calls: Cell<u32>,
}

impl Budget {
    const CLOCK_EVERY: u32 = 256;

    pub fn unlimited() -> Self {
        Self { deadline: None, interrupt: Arc::default(), calls: Cell::new(0) }
    }

    pub fn with_time(limit: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(limit), ..Self::unlimited() }
    }

    /// The same interrupt flag, with at most `limit` from now.
    pub fn at_most(&self, limit: Duration) -> Self {
        let soon = Instant::now().checked_add(limit);
        let deadline = match (self.deadline, soon) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { deadline, interrupt: self.interrupt.clone(), calls: Cell::new(0) }
    }

    /// The same deadline, with another flag: whoever gives it must pass on an interrupt of this budget.
    pub fn stopped_by(&self, flag: &Arc<AtomicBool>) -> Self {
        Self { deadline: self.deadline, interrupt: flag.clone(), calls: Cell::new(0) }
    }

    /// The time that is left; None if there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The flag that stops the run when set.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// Cheap enough for inner loops.
    pub fn check(&self) -> Result<(), Exhausted> {
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if calls.is_multiple_of(Self::CLOCK_EVERY) { self.check_now() } else { Ok(()) }
    }

    /// Reads the flag and the clock.
    pub fn check_now(&self) -> Result<(), Exhausted> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Exhausted::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Exhausted::Time),
            _ => Ok(()),
        }
    }
}
