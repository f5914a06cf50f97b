//! What a run may use: time, and the flag by which anyone can stop it.
//!
//! There are three kinds of time. A limit that the user names is time on the wall. A limit that the system has set for the processor's time is
//! what all threads of the process work. And shares that parts of a run get of it are what their own thread works, so that a busy
//! machine changes nothing about them; other threads that look at such a budget pass over its share.
//!
//! A budget is asked often (`check` costs a counter increment; clocks are read every few hundred calls).

use crate::clock;
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

/// The end of a share: so long may this thread have worked then.
#[derive(Clone, Copy, Debug)]
struct Share {
    thread: ThreadId,
    end: Duration,
}

/// The limits of one run. Clones share the interrupt flag.
#[derive(Clone, Debug)]
pub struct Budget {
    wall: Option<Instant>,
    /// Of all threads together, from the start of the process.
    process: Option<Duration>,
    share: Option<Share>,
    /// The time of the whole run as it was given, whatever is left of it.
    given: Option<Duration>,
    interrupt: Arc<AtomicBool>,
    calls: Cell<u32>,
}

impl Budget {
    const CLOCK_EVERY: u32 = 256;

    pub fn unlimited() -> Self {
        Self {
            wall: None,
            process: None,
            share: None,
            given: None,
            interrupt: Arc::default(),
            calls: Cell::new(0),
        }
    }

    /// So much work of this thread.
    pub fn with_time(limit: Duration) -> Self {
        Self::unlimited().at_most(limit)
    }

    /// The same interrupt flag, with so much work of this thread from now on, and what is left of the rest.
    #[must_use]
    pub fn at_most(&self, limit: Duration) -> Self {
        let thread = std::thread::current().id();
        let end = clock::of_thread().saturating_add(limit);
        let end = self.own_share().map_or(end, |share| share.end.min(end));
        Self { share: Some(Share { thread, end }), ..self.clone() }
    }

    /// The same, and no later than this on the wall.
    #[must_use]
    pub fn until(&self, end: Option<Instant>) -> Self {
        let wall = match (self.wall, end) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Self { wall, ..self.clone() }
    }

    /// The same, and all threads may have worked no longer than this since the process began.
    #[must_use]
    pub fn with_process_time(&self, limit: Duration) -> Self {
        let process = Some(self.process.map_or(limit, |other| other.min(limit)));
        Self { process, ..self.clone() }
    }

    /// The same, as one of a run for which somebody named this time.
    #[must_use]
    pub fn with_given(&self, limit: Duration) -> Self {
        Self { given: Some(self.given.map_or(limit, |other| other.min(limit))), ..self.clone() }
    }

    /// The time that was named for the run: unlike what is left of it, that is the same in every run.
    pub fn given(&self) -> Option<Duration> {
        self.given
    }

    /// The same deadlines, with another flag: whoever gives it must pass on an interrupt of this budget.
    #[must_use]
    pub fn stopped_by(&self, flag: &Arc<AtomicBool>) -> Self {
        Self { interrupt: flag.clone(), ..self.clone() }
    }

    /// What is left of this thread's share, so that another thread can have it.
    pub fn share_left(&self) -> Option<Duration> {
        self.own_share().map(|share| share.end.saturating_sub(clock::of_thread()))
    }

    /// The same as a budget of this thread, with what was left of another one's share.
    #[must_use]
    pub fn taken_over(&self, share: Option<Duration>) -> Self {
        share.map_or_else(|| self.clone(), |share| self.at_most(share))
    }

    /// The time that is left for this thread, if it is alone at work; None if there is no limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.remaining_among(1)
    }

    /// The time that is left for this thread and others, each of which works as much as it does.
    pub fn remaining_among(&self, threads: u32) -> Option<Duration> {
        let wall = self.wall.map(|end| end.saturating_duration_since(Instant::now()));
        let process = self.process.map(|end| end.saturating_sub(clock::of_process()) / threads.max(1));
        [wall, process, self.share_left()].into_iter().flatten().min()
    }

    /// When the run ends on the wall, if it does.
    pub fn wall(&self) -> Option<Instant> {
        self.wall
    }

    /// How long all threads may work, from the start of the process.
    pub fn process_time(&self) -> Option<Duration> {
        self.process
    }

    /// One of `parts` of what is left: questions of a run that are answered one after the other.
    #[must_use]
    pub fn part(&self, parts: u32) -> Self {
        let parts = parts.max(1);
        let now = Instant::now();
        let wall = self.wall.and_then(|end| now.checked_add(end.saturating_duration_since(now) / parts));
        let worked = clock::of_process();
        let process = self.process.map(|end| worked.saturating_add(end.saturating_sub(worked) / parts));
        let share = self.share_left().map(|left| left / parts);
        let given = self.given.map(|given| given / parts);
        Self { wall, process, given, ..self.clone() }.taken_over(share)
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

    /// Reads the flag and the clocks.
    pub fn check_now(&self) -> Result<(), Exhausted> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Exhausted::Interrupted);
        }
        let is_over = self.wall.is_some_and(|end| Instant::now() >= end)
            || self.process.is_some_and(|end| clock::of_process() >= end)
            || self.own_share().is_some_and(|share| clock::of_thread() >= share.end);
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

    /// Work, until the budget says stop.
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
        let budget = Budget::unlimited().with_process_time(clock::of_process() + Duration::from_secs(1000));
        let (alone, among) = (budget.remaining(), budget.remaining_among(4));
        let (alone, among) = (alone.expect("a limit"), among.expect("a limit"));
        assert!(among < alone && among > alone / 5);
    }
}
