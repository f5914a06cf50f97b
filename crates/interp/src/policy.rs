//! What a run may use and which faults end it.

use crate::outcome::{FaultKind, FaultSet};
use summa_base::Budget;

#[derive(Clone, Debug)]
pub struct Policy {
    /// Faults that end the run. Faults after which it cannot continue end it in any case.
    pub stop: FaultSet,
    /// Look for lost and unfreed memory at the end of the program.
    pub check_leaks: bool,
    pub max_steps: u64,
    /// Bytes of objects, frames and recorded inputs.
    pub max_memory: u64,
    pub max_frames: u32,
    /// The request for memory with this number, from zero, is refused: the result is null.
    pub refused: Option<u64>,
    pub budget: Budget,
}

impl Policy {
    /// For reachability of an error: signed overflow wraps around, uninitialised values are inputs.
    pub fn reachability() -> Self {
        Self {
            stop: FaultSet::NONE,
            check_leaks: false,
            max_steps: u64::MAX,
            max_memory: 1 << 30,
            max_frames: 1 << 22,
            refused: None,
            budget: Budget::unlimited(),
        }
    }

    /// Every kind of fault ends the run.
    pub fn strict() -> Self {
        Self { stop: FaultSet::all(), check_leaks: true, ..Self::reachability() }
    }

    pub(crate) fn stops_at(&self, kind: FaultKind) -> bool {
        !kind.can_continue() || self.stop.contains(kind)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::reachability()
    }
}
