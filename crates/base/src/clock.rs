//! Time that was worked, as the processor counts it, beside the time on the wall.
//!
//! On a busy machine much more time goes by on the wall than a thread works. So shares of engines and limits of single questions are
//! measured in the time of the thread at work: how far an engine gets does not depend on who else is busy. What a user says with a time limit
//! is meant on the wall.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How long this thread has worked.
pub fn of_thread() -> Duration {
    time(ClockId::ThreadCPUTime)
}

/// How long all threads of this process have worked.
pub fn of_process() -> Duration {
    time(ClockId::ProcessCPUTime)
}

fn time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    // Neither is negative.
    let (seconds, nanos) =
        (u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0));
    Duration::new(seconds, nanos)
}

/// The work of this thread from a moment on.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    started: Duration,
}

impl Work {
    pub fn start() -> Self {
        Self { started: of_thread() }
    }

    pub fn elapsed(self) -> Duration {
        of_thread().saturating_sub(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_counts() {
        let (work, process) = (Work::start(), of_process());
        let mut rounds = 0u64;
        while work.elapsed() < Duration::from_millis(2) {
            rounds = std::hint::black_box(rounds + 1);
        }
        assert!(rounds > 0 && of_process() > process);
        // Another thread begins at its own beginning.
        let other = std::thread::spawn(of_thread).join().expect("a thread");
        assert!(other < of_process());
    }
}
