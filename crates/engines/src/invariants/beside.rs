//! Interval invariants that are refined continuously, in turns with the engine that uses them.
//!
//! Paper: Beyer, Dangl, Wendler, *Boosting k-Induction with Continuously-Refined Invariants*, CAV 2015;
//! Algorithm 3, lines 19 to 23. The analyses need no solver and share nothing with the engine but the
//! program. Each is more precise than the one before; the last ones are products with values. Each is carried
//! out once for all engines of a run.
//!
//! In the paper, analyses and engine run at the same time. What an engine knows then depends on the speed of
//! each. Here an analysis has its turn when the engine cannot go on. It gets about half of the work that the
//! engine itself has done by then. If the analysis does not end with that, it begins again when twice as much
//! is available. So no analysis delays an engine that is almost done, and runs repeat.

use super::intervals::{Analysed, DEFAULT_TIME, HeadBounds, Round, SHARE, analyse};
use crate::task::Task;
use std::sync::Arc;
use std::time::Duration;
use summa_base::Exhausted;
use summa_base::clock::Work;
use summa_cpa::Stop;
use summa_domains::value;

/// All analyses after the first take at most this part of the time that is left.
const LATER_SHARE: f64 = 0.15;
/// The work of an analysis as a part of the engine's own work; below, the least work that it may take.
const PACE: f64 = 0.5;
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

/// The analyses on behalf of one engine.
pub(crate) struct Beside {
    /// The next one.
    index: usize,
    known: Option<HeadBounds>,
    /// The engine's work from here on, with that of the analyses.
    since: Work,
    spent: Duration,
    /// The time that is left for the analyses after the first.
    left: Duration,
    /// The time that was not enough for the next analysis.
    tried: Duration,
}

impl Beside {
    /// `since` is when the engine began.
    pub(crate) fn new(task: &Task<'_>, since: Work) -> Self {
        let left = part(task, LATER_SHARE);
        Self { index: 0, known: None, since, spent: Duration::ZERO, left, tried: Duration::ZERO }
    }

    /// The result of the first analysis; None if it does not end in its time.
    ///
    /// # Errors
    /// The engine must stop.
    pub(crate) fn first(&mut self, task: &Task<'_>) -> Result<Option<Arc<Analysed>>, Exhausted> {
        match self.analyse(task, part(task, SHARE))? {
            Turn::New(found) => Ok(Some(found)),
            Turn::Nothing => Ok(None),
            Turn::Unfinished => {
                // More precise analyses take even longer.
                self.index = rounds().len();
                Ok(None)
            }
        }
    }

    /// The new results of the next analyses; None if there are none, or not yet.
    ///
    /// # Errors
    /// The engine must stop.
    pub(crate) fn next(&mut self, task: &Task<'_>) -> Result<Option<Arc<Analysed>>, Exhausted> {
        while self.index < rounds().len() {
            let own = self.since.elapsed().saturating_sub(self.spent);
            let time = own.mul_f64(PACE).max(MOMENT).min(self.left);
            if time < self.tried.saturating_mul(2) {
                return Ok(None);
            }
            let work = Work::start();
            let turn = self.analyse(task, time)?;
            self.left = self.left.saturating_sub(work.elapsed());
            self.tried = if matches!(turn, Turn::Unfinished) { time } else { Duration::ZERO };
            match turn {
                Turn::New(found) => return Ok(Some(found)),
                Turn::Nothing => {}
                Turn::Unfinished => return Ok(None),
            }
        }
        Ok(None)
    }

    fn analyse(&mut self, task: &Task<'_>, time: Duration) -> Result<Turn, Exhausted> {
        let Some(round) = rounds().into_iter().nth(self.index) else { return Ok(Turn::Nothing) };
        let (budget, work) = (task.budget.at_most(time), Work::start());
        let found = task.shared.analysed(self.index, || analyse(task.cfa, task.facts, round, &budget));
        self.spent += work.elapsed();
        let found = match found {
            Err(Stop::Exhausted(_)) => {
                task.budget.check_now()?;
                return Ok(Turn::Unfinished);
            }
            // Too large; others are not comparable.
            Ok(None) | Err(Stop::Unsupported { .. } | Stop::GaveUp(_)) => None,
            Ok(found) => found,
        };
        self.index += 1;
        let Some(found) = found.filter(|found| self.known.as_ref() != Some(&found.heads)) else {
            return Ok(Turn::Nothing);
        };
        self.known = Some(found.heads.clone());
        Ok(Turn::New(found))
    }
}

enum Turn {
    New(Arc<Analysed>),
    /// The analysis ended, and there is nothing new.
    Nothing,
    Unfinished,
}

/// This part of the time that is left.
fn part(task: &Task<'_>, share: f64) -> Duration {
    task.budget.remaining().map_or(DEFAULT_TIME, |left| left.mul_f64(share))
}
