//! What a run may use: time, and a flag that stops it.
//!
//! There are two kinds of limits. The *ends* of a run are real time: time on the wall, if the user names a
//! limit, and processor time of all threads together, if the system sets one. The *shares* that parts of a
//! run get are counted work of their own thread ([`crate::clock`]). So a part gets equally far in every run,
//! however busy the machine is. A thread that looks at the budget of another thread ignores its share.
//!
//! A budget is asked often (`check` costs a few counter increments; clocks are read every few hundred calls).

use crate::clock::{self, PATIENCE, Unit};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;
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

/// The real ends of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ends {
    wall: Option<Instant>,
    /// Of all threads together, from the start of the process.
    process: Option<Duration>,
}

impl Ends {
    pub fn are_reached(&self) -> bool {
        self.wall.is_some_and(|end| Instant::now() >= end)
            || self.process.is_some_and(|end| clock::of_process() >= end)
    }

    /// Is there any?
    pub fn is_some(&self) -> bool {
        self.wall.is_some() || self.process.is_some()
    }
}

/// The end of a share: the count that this thread may reach.
#[derive(Clone, Copy, Debug)]
struct Share {
    thread: ThreadId,
    end: Duration,
    /// By the clock of the processor, for work that counts nothing.
    guard: Duration,
}

/// The time limit of the run, from which its parts get shares.
#[derive(Clone, Copy, Debug)]
struct Given {
    wall: Option<Duration>,
    process: Option<Duration>,
    thread: ThreadId,
    /// What the thread had counted before.
    since: Duration,
}

impl Given {
    /// The time of the run for each of `threads` threads. On the wall, at most one of them works at a time.
    fn time(&self, threads: u32) -> Option<Duration> {
        [self.wall, self.process.map(|time| time / threads.max(1))].into_iter().flatten().min()
    }

    /// What is left of it by this thread's count. This may be positive even when the clock says that the time
    /// is over: the count is not the clock.
    fn left(&self, threads: u32) -> Option<Duration> {
        const LEAST: u32 = 10;
        let is_own = self.thread == std::thread::current().id();
        let done = clock::counted().saturating_sub(if is_own { self.since } else { Duration::ZERO });
        self.time(threads).map(|time| time.saturating_sub(done).max(time / LEAST))
    }
}

/// The limits of one run. Clones share the interrupt flag.
#[derive(Clone, Debug)]
pub struct Budget {
    ends: Ends,
    share: Option<Share>,
    given: Option<Given>,
    interrupt: Arc<AtomicBool>,
    calls: Cell<u32>,
}

impl Budget {
    const CLOCK_EVERY: u32 = 256;

    pub fn unlimited() -> Self {
        Self {
            ends: Ends::default(),
            share: None,
            given: None,
            interrupt: Arc::default(),
            calls: Cell::new(0),
        }
    }

    /// A budget of this much work of this thread.
    pub fn with_time(limit: Duration) -> Self {
        Self::unlimited().at_most(limit)
    }

    /// The same limits and interrupt flag, with at most this much work of this thread from now on.
    #[must_use]
    pub fn at_most(&self, limit: Duration) -> Self {
        let thread = std::thread::current().id();
        let mut end = clock::counted().saturating_add(limit);
        let mut guard = clock::of_thread().saturating_add(limit.saturating_mul(PATIENCE));
        if let Some(share) = self.own_share() {
            (end, guard) = (end.min(share.end), guard.min(share.guard));
        }
        Self { share: Some(Share { thread, end, guard }), ..self.clone() }
    }

    /// The same, for a whole run that may do this much work, whatever time it takes.
    #[must_use]
    pub fn with_work(&self, limit: Duration) -> Self {
        let limit = self.given().map_or(limit, |given| given.min(limit));
        self.at_most(limit).with_given(Some(limit), self.given.and_then(|given| given.process))
    }

    /// The same, and no later than this on the wall.
    #[must_use]
    pub fn until(&self, end: Option<Instant>) -> Self {
        let wall = match (self.ends.wall, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { ends: Ends { wall, ..self.ends }, ..self.clone() }
    }

    /// The same, and all threads may have worked no longer than this since the process began.
    #[must_use]
    pub fn with_process_time(&self, limit: Duration) -> Self {
        let process = Some(self.ends.process.map_or(limit, |other| other.min(limit)));
        Self { ends: Ends { process, ..self.ends }, ..self.clone() }
    }

    /// The same, for a run that gets this time from now on: time on the wall, or processor time of all
    /// threads together. Shares are parts of it.
    #[must_use]
    pub fn with_given(&self, wall: Option<Duration>, process: Option<Duration>) -> Self {
        let (thread, since) = (std::thread::current().id(), clock::counted());
        let is_some = wall.is_some() || process.is_some();
        Self { given: is_some.then_some(Given { wall, process, thread, since }), ..self.clone() }
    }

    /// The time limit of the run. Unlike the time that is left, it does not depend on the work so far.
    pub fn given(&self) -> Option<Duration> {
        self.given?.time(1)
    }

    /// The same deadlines with another flag. The caller must pass on an interrupt of this budget.
    #[must_use]
    pub fn stopped_by(&self, flag: &Arc<AtomicBool>) -> Self {
        Self { interrupt: flag.clone(), ..self.clone() }
    }

    /// What is left of this thread's share, so that another thread can have it.
    pub fn share_left(&self) -> Option<Duration> {
        self.own_share().map(|share| share.end.saturating_sub(clock::counted()))
    }

    /// The same budget for this thread, with what was left of another thread's share.
    #[must_use]
    pub fn taken_over(&self, share: Option<Duration>) -> Self {
        share.map_or_else(|| self.clone(), |share| self.at_most(share))
    }

    /// The time that is left for this thread, if no other thread works; None if there is no limit. It is
    /// counted, so it is the same in every run.
    pub fn remaining(&self) -> Option<Duration> {
        self.remaining_among(1)
    }

    /// The time that is left for this thread, if it shares the run with others that work as much.
    pub fn remaining_among(&self, threads: u32) -> Option<Duration> {
        let given = self.given.and_then(|given| given.left(threads));
        [given, self.share_left()].into_iter().flatten().min()
    }

    /// When the run ends in real time.
    pub fn ends(&self) -> Ends {
        self.ends
    }

    /// When the run ends on the wall, if it does.
    pub fn wall(&self) -> Option<Instant> {
        self.ends.wall
    }

    /// How long all threads may work, from the start of the process.
    pub fn process_time(&self) -> Option<Duration> {
        self.ends.process
    }

    /// One of `parts` equal parts of what is left, for questions that are answered one after the other.
    #[must_use]
    pub fn part(&self, parts: u32) -> Self {
        let parts = parts.max(1);
        let now = Instant::now();
        let wall = self.ends.wall.and_then(|end| now.checked_add(end.saturating_duration_since(now) / parts));
        let worked = clock::of_process();
        let process = self.ends.process.map(|end| worked.saturating_add(end.saturating_sub(worked) / parts));
        let share = self.share_left().map(|left| left / parts);
        let left = self.given.and_then(|given| given.left(1)).map(|left| left / parts);
        let is_wall = self.given.is_some_and(|given| given.time(1) == given.wall);
        let whole = Self { ends: Ends { wall, process }, ..self.clone() }.taken_over(share);
        if is_wall { whole.with_given(left, None) } else { whole.with_given(None, left) }
    }

    /// The flag that stops the run when set.
    pub fn interrupt(&self) -> Arc<AtomicBool> {
        self.interrupt.clone()
    }

    /// Cheap enough for inner loops.
    pub fn check(&self) -> Result<(), Exhausted> {
        clock::count(Unit::Look, 1);
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        if calls.is_multiple_of(Self::CLOCK_EVERY) { self.check_now() } else { Ok(()) }
    }

    /// Reads the flag, the counts and the clocks.
    pub fn check_now(&self) -> Result<(), Exhausted> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Exhausted::Interrupted);
        }
        let is_used = |share: Share| clock::counted() >= share.end || clock::of_thread() >= share.guard;
        let is_over = self.own_share().is_some_and(is_used) || self.ends.are_reached();
        if is_over { Err(Exhausted::Time) } else { Ok(()) }
    }

    /// The share, if it is one of this thread.
    fn own_share(&self) -> Option<Share> {
        self.share.filter(|share| share.thread == std::thread::current().id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works until the budget says stop.
    fn work(budget: &Budget) -> Exhausted {
        loop {
            if let Err(why) = budget.check() {
                return why;
            }
        }
    }

    #[test]
    fn each_kind_of_time_ends_a_run() {
        let short = Duration::from_millis(2);
        let all = Budget::unlimited();
        assert_eq!((all.check_now(), all.remaining()), (Ok(()), None));
        assert_eq!(work(&all.at_most(short)), Exhausted::Time);
        assert_eq!(work(&all.until(Instant::now().checked_add(short))), Exhausted::Time);
        assert_eq!(work(&all.with_process_time(clock::of_process() + short)), Exhausted::Time);
        let stopped = all.at_most(Duration::from_secs(1000));
        all.interrupt().store(true, Ordering::Relaxed);
        assert_eq!(work(&stopped), Exhausted::Interrupted);
    }

    #[test]
    fn a_share_is_of_one_thread() {
        let budget = Budget::with_time(Duration::ZERO);
        assert_eq!(budget.check_now(), Err(Exhausted::Time));
        let longer = budget.at_most(Duration::from_secs(9));
        assert_eq!(longer.remaining(), Some(Duration::ZERO), "never more than before");
        let elsewhere = std::thread::spawn(move || {
            let own = budget.at_most(Duration::from_secs(1000));
            (budget.check_now(), own.remaining())
        });
        let (seen, own) = elsewhere.join().expect("a thread");
        assert_eq!(seen, Ok(()));
        assert!(own.is_some_and(|left| left > Duration::from_secs(900)));
    }

    #[test]
    fn the_time_of_the_process_is_shared() {
        let budget = Budget::unlimited().with_given(None, Some(Duration::from_secs(1000)));
        let (alone, among) = (budget.remaining(), budget.remaining_among(4));
        let (alone, among) = (alone.expect("a limit"), among.expect("a limit"));
        assert_eq!(among, alone / 4);
        assert_eq!((budget.part(2).given(), budget.given()), (Some(alone / 2), Some(alone)));
    }

    #[test]
    fn shares_are_counted() {
        let run = Budget::unlimited().with_given(Some(Duration::from_secs(10)), None);
        let share = run.at_most(Duration::from_secs(1));
        assert_eq!((run.remaining(), share.remaining()), (run.given(), Some(Duration::from_secs(1))));
        while share.check().is_ok() {
            clock::count(Unit::Step, 1_000);
        }
        assert_eq!(share.remaining(), Some(Duration::ZERO));
        let left = run.remaining().expect("a limit");
        assert!(left <= Duration::from_secs(9) && left > Duration::from_secs(8), "{left:?}");
        // Real time may be left, however much is counted.
        clock::count(Unit::Question, 1_000_000_000);
        assert_eq!((run.check_now(), run.remaining()), (Ok(()), Some(Duration::from_secs(1))));
    }
}
