//! The process around a command: limits of time and memory, signals, a stack that deep programs do not
//! exhaust, and the handling of panics.
//!
//! A thread watches the limits, because the solver may not react in time. If a limit was reached and no
//! answer follows soon, the thread reports what is known and ends the process.

use crate::verdict::Exit;
use crate::written;
use std::cell::Cell;
use std::panic::{self, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use summa_base::{Budget, clock};

/// For recursive descent over deeply nested (but accepted) source. Only touched pages cost memory.
const STACK_BYTES: u64 = 256 << 20;

/// The exit code of a second Ctrl-C: UNKNOWN, without waiting for anything.
const IMPATIENT_EXIT: i32 = 5;

/// Addresses that the allocator reserves at the start. Most of them are never used.
const RESERVED: u64 = 2 << 30;

/// Limits the addresses that the library of decision diagrams reserves. It starts an idle thread for each of
/// its stores, with 1 GiB of addresses for the stack unless the environment says otherwise. That is too much
/// where addresses are limited.
pub(crate) fn save_addresses() {
    const VARIABLE: &str = "OXIDD_STACK_SIZE";
    if std::env::var_os(VARIABLE).is_none() {
        // SAFETY: called at the beginning of `main`, when there is no other thread that could read the
        // environment.
        #[allow(unsafe_code, reason = "the library can be told in no other way")]
        unsafe {
            std::env::set_var(VARIABLE, "1048576");
        }
    }
}

/// Limits the address space of this process. An error of the system is returned.
fn limit_memory(bytes: u64) -> Result<(), String> {
    let bytes = bytes.saturating_add(RESERVED);
    let hard = rlimit::Resource::AS.get_hard().unwrap_or(rlimit::INFINITY);
    rlimit::Resource::AS
        .set(bytes.min(hard), hard)
        .map_err(|error| format!("cannot limit the memory: {error}"))
}

/// The processor time that the system still allows for this process.
fn processor_limit() -> Option<Duration> {
    let seconds = rlimit::Resource::CPU.get_soft().ok().filter(|&limit| limit != rlimit::INFINITY);
    seconds.map(Duration::from_secs)
}

/// The processor time that is reserved for the final output.
fn kept(limit: Duration) -> Duration {
    limit.mul_f64(0.05).max(Duration::from_millis(300)).min(limit / 2)
}

/// The time that a run may take: the user's limit on the wall, and the system's limit of processor time for
/// this process. A limit from outside (`ulimit -t`, benchmark tools) thus need not be repeated as an option.
/// A little of it is kept for the final output. A limit of work may apply as well; it has no time of its own.
pub(crate) fn within(budget: &Budget, asked: Option<Duration>, work: Option<Duration>) -> Budget {
    let process = processor_limit().map(|limit| limit - kept(limit));
    let mut budget = budget.until(asked.and_then(|limit| Instant::now().checked_add(limit)));
    if let Some(limit) = process {
        summa_syntax::preprocess::limit_processor_time(limit.as_secs());
        budget = budget.with_process_time(limit);
    }
    let budget = budget.with_given(asked, process);
    work.map_or(budget.clone(), |limit| budget.with_work(limit))
}

/// The first SIGINT or SIGTERM sets the flag, so that what is known can be printed; the second one ends the
/// process.
pub(crate) fn stop_on_signals(flag: &Arc<AtomicBool>) -> std::io::Result<()> {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // The order matters: the flag is still unset when the first signal looks at it.
        signal_hook::flag::register_conditional_shutdown(signal, IMPATIENT_EXIT, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    // The system sends this signal at its limit of processor time. Otherwise it would end the process without
    // output.
    signal_hook::flag::register(libc::SIGXCPU, processor_is_over().clone())?;
    Ok(())
}

/// Set when the system signals its limit of processor time.
fn processor_is_over() -> &'static Arc<AtomicBool> {
    static IS_OVER: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    IS_OVER.get_or_init(Arc::default)
}

/// Why the watch ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Time,
    Memory,
    Signal,
}

impl Limit {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Time => "time limit",
            Self::Memory => "memory limit",
            Self::Signal => "interrupted",
        }
    }
}

/// The limits that are watched.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// The end of the run on the wall; below, by the processor time of all threads.
    wall: Option<Instant>,
    worked: Option<Duration>,
    memory: Option<u64>,
    /// Set by signals, and by the watch when memory runs out.
    interrupt: Arc<AtomicBool>,
}

impl Limits {
    /// The limits of the budget, and then some time to write down what was found. If the user sets no memory
    /// limit, the run keeps to a part of the machine's memory. So it ends with a reason before the system
    /// kills this or another process.
    pub(crate) fn of(budget: &Budget, memory: Option<u64>, to_write: Duration) -> Self {
        /// A moment more than the limit: a run that looks at its clock notices the end itself.
        fn with_patience(left: Duration) -> Duration {
            left + left.mul_f64(0.03).max(Duration::from_millis(50))
        }
        let now = Instant::now();
        let wall = budget.wall().map(|end| with_patience(end.saturating_duration_since(now)) + to_write);
        // Later than the budget's end, but early enough for the final output.
        let worked = budget.process_time().map(|end| match processor_limit() {
            Some(limit) => end.max(limit.saturating_sub(kept(limit).mul_f64(0.7))),
            None => end,
        });
        Self {
            wall: wall.and_then(|wall| now.checked_add(wall)),
            worked,
            memory: memory.or_else(|| Some(machine_memory()? / 4 * 3)),
            interrupt: budget.interrupt(),
        }
    }

    fn is_out_of_time(&self) -> bool {
        self.wall.is_some_and(|end| Instant::now() >= end)
            || self.worked.is_some_and(|end| clock::of_process() >= end)
            || processor_is_over().load(Ordering::Relaxed)
    }
}

/// How long an interrupted run may take to finish its work.
const GRACE: Duration = Duration::from_millis(1500);
/// With this part of the memory in use the run is asked to stop; with all of it, it is stopped.
const SOFT_MEMORY: f64 = 0.97;

/// The right to print the verdict. Some calls of the solver cannot be interrupted. Then the watch prints it,
/// and the process ends.
#[derive(Default)]
pub(crate) struct OutputRight {
    taken: Arc<AtomicBool>,
    out_of_memory: Arc<AtomicBool>,
    is_ours: Cell<bool>,
}

impl OutputRight {
    /// Watches the limits. If a limit was reached and no output has begun a little later, `say` is called and
    /// the process ends with `code`.
    pub(crate) fn watch(&self, limits: Limits, code: Exit, say: impl FnOnce(Limit) + Send + 'static) {
        let (taken, out_of_memory) = (self.taken.clone(), self.out_of_memory.clone());
        // Without the thread, the limits are only obeyed less exactly.
        let _ = std::thread::Builder::new().name("limits".to_owned()).spawn(move || {
            let limit = wait_for(&limits, &taken, &out_of_memory);
            if let Some(limit) = limit
                && !taken.swap(true, Ordering::SeqCst)
            {
                say(limit);
                std::process::exit(written::exit(code).code().into());
            }
        });
    }

    /// A separate right for a part of the work.
    pub(crate) fn of_part(&self) -> Self {
        Self { out_of_memory: self.out_of_memory.clone(), ..Self::default() }
    }

    /// Set when the run was asked to stop because of its memory.
    pub(crate) fn out_of_memory(&self) -> Arc<AtomicBool> {
        self.out_of_memory.clone()
    }

    /// Was the run asked to stop because of its memory? It may report another reason.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::SeqCst)
    }

    /// Takes the right to print the answer, for good. Does not return if the watch has it.
    pub(crate) fn take(&self) {
        if !self.is_ours.replace(true) && self.taken.swap(true, Ordering::SeqCst) {
            loop {
                std::thread::park();
            }
        }
    }
}

/// Returns when a limit was reached and the run had time to notice; None when the right was taken.
fn wait_for(limits: &Limits, taken: &AtomicBool, out_of_memory: &AtomicBool) -> Option<Limit> {
    let mut asked_to_stop: Option<Instant> = None;
    while !taken.load(Ordering::SeqCst) {
        if limits.is_out_of_time() {
            return Some(Limit::Time);
        }
        let used =
            limits.memory.and_then(|limit| Some(memory_in_use()? as f64 / limit as f64)).unwrap_or(0.0);
        if used >= SOFT_MEMORY && !limits.interrupt.load(Ordering::SeqCst) {
            out_of_memory.store(true, Ordering::SeqCst);
            limits.interrupt.store(true, Ordering::SeqCst);
        }
        if used >= 1.0 {
            out_of_memory.store(true, Ordering::SeqCst);
            return Some(Limit::Memory);
        }
        if limits.interrupt.load(Ordering::SeqCst) {
            let since = *asked_to_stop.get_or_insert_with(Instant::now);
            if since.elapsed() >= GRACE {
                let is_memory = out_of_memory.load(Ordering::SeqCst);
                return Some(if is_memory { Limit::Memory } else { Limit::Signal });
            }
        }
        std::thread::sleep(Duration::from_millis(if used > 0.8 { 2 } else { 10 }));
    }
    None
}

/// Physical memory of this process in bytes, as the system counts it; None where it does not say.
pub(crate) fn memory_in_use() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

/// Physical memory of the machine in bytes, or that of this process's group (cgroup) if the system limits it.
/// None if the system does not say.
fn machine_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|limit| limit.trim().parse::<u64>().ok());
    Some(group.map_or(kilobytes << 10, |limit| limit.min(kilobytes << 10)))
}

/// Limits the memory of a run that is watched. The watch counts memory in use, as limits of benchmarks do.
/// The address space gets a larger limit, in case a single allocation is faster than the watch.
pub(crate) fn limit_watched_memory(bytes: u64) -> Result<(), String> {
    // Below this no compiler can be started.
    const LEAST: u64 = 64 << 20;
    let used = memory_in_use().unwrap_or(0);
    summa_syntax::preprocess::limit_memory(bytes.saturating_sub(used).max(LEAST));
    let is_watched = memory_in_use().is_some();
    limit_memory(if is_watched { bytes.saturating_mul(2).saturating_add(1 << 30) } else { bytes })
}

/// From now on, panics are reported in the words of Summa.
pub(crate) fn report_panics() {
    panic::set_hook(Box::new(report_panic));
}

/// Why some work did not end normally.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The message of a panic.
    Panic(String),
    /// There is no memory for a stack.
    NoStack,
}

/// Runs `work` on a thread with a large stack, or a quarter of the memory if that is less.
pub(crate) fn on_large_stack<T: Send>(
    memory_limit: Option<u64>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Broken> {
    let addresses = rlimit::Resource::AS.get_soft().ok();
    let least = [memory_limit, addresses].into_iter().flatten().min();
    let stack = least.map_or(STACK_BYTES, |limit| (limit / 4).min(STACK_BYTES)) as usize;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("summa".to_owned()).stack_size(stack);
        let running = thread.spawn_scoped(scope, work).map_err(|_| Broken::NoStack)?;
        running.join().map_err(|payload| {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Broken::Panic(text.unwrap_or_default())
        })
    })
}

/// The message about a bug: where it is. A bug only means that the verdict is missing.
fn report_panic(panic: &PanicHookInfo<'_>) {
    use std::io::Write;
    let place = panic.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
    let message = panic.payload_as_str().unwrap_or("no message");
    let text = format!(
        "internal error at {place}: {message}\n\
         This is a bug in summa {}; please report it together with the input.\n",
        env!("CARGO_PKG_VERSION")
    );
    // Nothing can be done if standard error is closed.
    let _ = std::io::stderr().write_all(text.as_bytes());
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
        let _ = writeln!(std::io::stderr(), "{}", std::backtrace::Backtrace::force_capture());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_comes_back_as_text() {
        assert_eq!(on_large_stack(None, || 7), Ok(7));
        let result: Result<(), Broken> = on_large_stack(None, || panic!("invariant {}", 3));
        assert_eq!(result, Err(Broken::Panic("invariant 3".to_owned())));
    }

    #[test]
    fn deep_recursion_fits() {
        fn depth(n: u32) -> u32 {
            if n == 0 { 0 } else { std::hint::black_box(depth(n - 1)) + 1 }
        }
        assert_eq!(on_large_stack(None, || depth(500_000)), Ok(500_000));
    }
}
