//! Interval invariants that are refined continuously, in a thread beside the engine that uses them.
//!
//! Paper: Beyer, Dangl, Wendler, *Boosting k-Induction with Continuously-Refined Invariants*, CAV 2015; Algorithm 3, lines 19 to 23.
//! The analyses need no solver and share nothing with the engine but the program, which nobody changes. Each is more precise
//! than the one before, and carried out once for all engines of a run; what a complete one found goes through a channel. The thread
//! ends with its scope, at the latest: the engine's end is the flag that its budget looks at.
//!
//! What an engine has heard of depends on the time that things take, and so does with which k a proof is found. Whatever it has
//! heard of holds: whoever uses more or less of it is right all the same. The first analysis is waited for, and the others a moment, so
//! that small programs behave in the same way in each run.

use super::intervals::{Analysed, DEFAULT_TIME, HeadBounds, Round, SHARE, analyse};
use crate::shared::Shared;
use crate::task::Task;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::Duration;
use summa_base::{Budget, Exhausted};
use summa_cfa::Cfa;
use summa_cfa::analysis::Analyses;
use summa_cpa::Stop;
use summa_domains::value;

/// All analyses after the first take at most this part of the time that is left.
const LATER_SHARE: f64 = 0.15;
/// How long one waits for an analysis that may be about to end.
const MOMENT: Duration = Duration::from_millis(20);
/// States of an analysis with values; there may be many of a location.
const MAX_STATES: u32 = 20_000;

/// From coarse to precise.
fn rounds() -> [Round; 4] {
    let patient = Round { joins: 40, threshold_rounds: 100, narrowing_rounds: 4, ..Round::FIRST };
    let with_values = |options| Round {
        values: Some(options),
        max_states: MAX_STATES,
        narrowing_rounds: 4,
        ..Round::FIRST
    };
    [
        Round::FIRST,
        patient,
        // Flags and the like, then all that does not take many values.
        with_values(value::Options { follow: value::Follow::Simple, ..value::Options::default() }),
        with_values(value::Options::limited()),
    ]
}

/// The receiving end.
pub(crate) struct Beside {
    found: Receiver<Arc<Analysed>>,
    stop: Arc<AtomicBool>,
}

impl Beside {
    /// Starts the analyses; None if there is no thread to be had.
    pub(crate) fn start<'scope, 't: 'scope>(
        scope: &'scope Scope<'scope, '_>,
        task: &Task<'t>,
    ) -> Option<Self> {
        let (cfa, facts) = (task.cfa, task.facts);
        let (sender, found) = channel();
        // A flag of its own, so that the end of the engine stops this thread and nobody else.
        let share = task.budget.share_left();
        let stop = Arc::new(AtomicBool::new(false));
        let whole = task.budget.stopped_by(&stop);
        let shared = task.shared.clone();
        let run = move || {
            // Begun here: it is the work of this thread that counts.
            let budget = whole.taken_over(share);
            refine(cfa, facts, &shared, &budget, &sender)
        };
        Builder::new().name("invariants".to_owned()).spawn_scoped(scope, run).ok()?;
        Some(Self { found, stop })
    }

    /// What the first analysis found, when it has ended; None if it did not end in its time.
    ///
    /// # Errors
    /// The engine must not wait any longer.
    pub(crate) fn first(&self, budget: &Budget) -> Result<Option<Arc<Analysed>>, Exhausted> {
        loop {
            match self.found.recv_timeout(MOMENT) {
                Ok(found) => return Ok(Some(found)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => budget.check_now()?,
            }
        }
    }

    /// What was found since one asked last, if something was or is about to be.
    pub(crate) fn next(&self) -> Option<Arc<Analysed>> {
        self.found.recv_timeout(MOMENT).ok()
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// All analyses in turn, until nobody listens any more or the time is up.
fn refine(cfa: &Cfa, facts: &Analyses, shared: &Shared, budget: &Budget, found: &Sender<Arc<Analysed>>) {
    let share = |share: f64| budget.remaining().map_or(DEFAULT_TIME, |left| left.mul_f64(share));
    let mut known: Option<HeadBounds> = None;
    let mut limited = budget.at_most(share(SHARE));
    for (index, round) in rounds().into_iter().enumerate() {
        if index == 1 {
            limited = budget.at_most(share(LATER_SHARE));
        }
        let analysed = match shared.analysed(index, || analyse(cfa, facts, round, &limited)) {
            Ok(Some(analysed)) => analysed,
            // Too large; others are not comparable.
            Ok(None) => continue,
            Err(Stop::Exhausted(_)) => return,
            Err(Stop::Unsupported { .. } | Stop::GaveUp(_)) => continue,
        };
        let heads = analysed.heads.clone();
        let is_new = known.as_ref() != Some(&heads);
        if is_new && found.send(analysed).is_err() {
            return;
        }
        known = Some(heads);
    }
}
