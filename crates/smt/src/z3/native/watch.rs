//! Time-outs and interruption for every call into Z3 that may take long.
//!
//! One thread of the process looks at the working contexts every few milliseconds. It interrupts those whose
//! time is up or whose flag is raised. It works for solvers, Horn engine, tactics and projection alike, and
//! sleeps while no context works.
//!
//! Z3 counts the limit of a question itself where it can (`Context::run`), so that runs repeat. The watch is
//! about real time: the ends of the run, and a guard for work that counts nothing. The guard compares the
//! processor time of the asking thread with a multiple of the limit. The clock of that thread can be read
//! from here as long as the thread lives, and so as long as its call runs.
//!
//! Limits: the resolution is [`PERIOD`]. Z3 looks at its interruption only at certain points, so a call may
//! return later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};
use z3_sys::{Z3_context, Z3_interrupt};

use crate::solver::Limits;
use summa_base::Ends;

const PERIOD: Duration = Duration::from_millis(5);
/// An interruption is repeated after this long.
const REPEAT: Duration = Duration::from_millis(50);
/// After this many looks without a working context, the thread sleeps until it is woken.
const IDLE_LOOKS: u32 = 200;

/// Why a call was ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    TimeOut,
    Interrupted,
}

/// The clock of a thread, as the system names it.
#[derive(Clone, Copy)]
struct ThreadClock(libc::clockid_t);

impl ThreadClock {
    /// The clock of the calling thread, or that of the process if the system lets no other thread read the
    /// former.
    fn own() -> Self {
        let mut clock = libc::CLOCK_PROCESS_CPUTIME_ID;
        // SAFETY: the thread is this one, and the place for the answer lives as long as the call, which
        // writes it only if it succeeds.
        unsafe { libc::pthread_getcpuclockid(libc::pthread_self(), &mut clock) };
        Self(clock)
    }

    /// Zero if there is no such clock.
    fn now(self) -> Duration {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: the place for the answer lives as long as the call; a clock that is gone is an error, and
        // nothing is written.
        unsafe { libc::clock_gettime(self.0, &mut time) };
        Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
    }
}

/// What the watching thread knows of one context.
pub(crate) struct Watched {
    work: Mutex<Work>,
}

struct Work {
    /// `None` once the context is gone.
    context: Option<ContextPointer>,
    running: bool,
    guard: Option<(ThreadClock, Duration)>,
    ends: Ends,
    flag: Option<Arc<AtomicBool>>,
    stopped: Option<Stopped>,
    /// When to interrupt once more.
    again: Option<Instant>,
}

struct ContextPointer(Z3_context);

// SAFETY: only `Z3_interrupt` is called through it, which Z3 allows from any thread, and only under the lock
// of `Work`, which `Watched::forget` takes before the context is deleted.
unsafe impl Send for ContextPointer {}

impl Watched {
    pub(super) fn new(context: Z3_context) -> Arc<Self> {
        let work = Work {
            context: Some(ContextPointer(context)),
            running: false,
            guard: None,
            ends: Ends::default(),
            flag: None,
            stopped: None,
            again: None,
        };
        let watched = Arc::new(Self { work: Mutex::new(work) });
        lock(&watcher().all).push(Arc::downgrade(&watched));
        watched
    }

    /// Runs `call`, and ends it when a limit is hit; the result says which one. The guard is a multiple of
    /// the limit.
    pub(super) fn run<T>(
        &self,
        limits: &Limits,
        patience: u32,
        call: impl FnOnce() -> T,
    ) -> (T, Option<Stopped>) {
        if limits.timeout.is_none() && limits.interrupt.is_none() && !limits.ends.is_some() {
            return (call(), None);
        }
        {
            let mut work = lock(&self.work);
            work.guard = limits.timeout.map(|timeout| {
                let clock = ThreadClock::own();
                (clock, clock.now().saturating_add(timeout.saturating_mul(patience)))
            });
            work.ends = limits.ends;
            work.flag.clone_from(&limits.interrupt);
            work.stopped = None;
            work.running = true;
        }
        watcher().wake();
        let result = call();
        let mut work = lock(&self.work);
        work.running = false;
        (result, work.stopped.take())
    }

    /// The context is about to be deleted.
    pub(super) fn forget(&self) {
        lock(&self.work).context = None;
    }

    /// Returns whether a call is running.
    fn look(&self) -> bool {
        let mut work = lock(&self.work);
        if !work.running || work.context.is_none() {
            return false;
        }
        let now = Instant::now();
        if work.stopped.is_some() {
            // Z3 forgets an interruption that arrives between two phases: tell it again after a while.
            if work.again.is_some_and(|again| now < again) {
                return true;
            }
        } else {
            let raised = work.flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
            let late = work.guard.is_some_and(|(clock, end)| clock.now() >= end) || work.ends.are_reached();
            work.stopped = match (raised, late) {
                (true, _) => Some(Stopped::Interrupted),
                (false, true) => Some(Stopped::TimeOut),
                (false, false) => return true,
            };
        }
        work.again = now.checked_add(REPEAT);
        if let Some(ContextPointer(context)) = work.context {
            // SAFETY: the context lives, because `forget` needs the lock held here.
            unsafe { Z3_interrupt(context) };
        }
        true
    }
}

struct Watcher {
    all: Mutex<Vec<Weak<Watched>>>,
    sleeping: AtomicBool,
    thread: OnceLock<Thread>,
}

fn watcher() -> &'static Watcher {
    static WATCHER: OnceLock<Watcher> = OnceLock::new();
    WATCHER.get_or_init(|| Watcher {
        all: Mutex::default(),
        sleeping: AtomicBool::new(false),
        thread: OnceLock::new(),
    })
}

impl Watcher {
    fn wake(&'static self) {
        let thread = self.thread.get_or_init(|| std::thread::spawn(|| self.watch()).thread().clone());
        // With the store in `watch`, one of the two sees the other (both sequentially consistent): no wake-up
        // is lost.
        if self.sleeping.load(Ordering::SeqCst) {
            thread.unpark();
        }
    }

    fn watch(&self) {
        let mut idle = 0;
        loop {
            let running = {
                let mut all = lock(&self.all);
                all.retain(|watched| watched.strong_count() > 0);
                let living: Vec<Arc<Watched>> = all.iter().filter_map(Weak::upgrade).collect();
                drop(all);
                living.iter().fold(false, |any, watched| watched.look() | any)
            };
            idle = if running { 0 } else { idle + 1 };
            if idle < IDLE_LOOKS {
                std::thread::sleep(PERIOD);
            } else if !self.sleeping.swap(true, Ordering::SeqCst) {
                idle = IDLE_LOOKS - 1; // one more look, now that callers know that they must wake us
            } else {
                std::thread::park();
                self.sleeping.store(false, Ordering::SeqCst);
                idle = 0;
            }
        }
    }
}

/// A panic elsewhere does not make this data wrong.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
