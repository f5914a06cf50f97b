//! The process around a command: memory limit, signals, a stack that deep programs do not exhaust, and the net under
//! panics.

use std::cell::Cell;
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// For recursive descent over deeply nested (but accepted) source. Only touched pages cost memory.
const STACK_BYTES: u64 = 256 << 20;

/// The exit code of a second Ctrl-C: UNKNOWN, without waiting for anything.
const IMPATIENT_EXIT: i32 = 5;

/// Limits the address space of this process; what the system refuses is reported.
pub(crate) fn limit_memory(bytes: u64) -> Result<(), String> {
    let hard = rlimit::Resource::AS.get_hard().unwrap_or(rlimit::INFINITY);
    rlimit::Resource::AS
        .set(bytes.min(hard), hard)
        .map_err(|error| format!("cannot limit the memory: {error}"))
}

/// The first SIGINT or SIGTERM sets the flag, so that what is known can be printed; the second one ends the process.
pub(crate) fn stop_on_signals(flag: &Arc<AtomicBool>) -> std::io::Result<()> {
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // In this order: the flag is still unset when the first signal asks for it.
        signal_hook::flag::register_conditional_shutdown(signal, IMPATIENT_EXIT, flag.clone())?;
        signal_hook::flag::register(signal, flag.clone())?;
    }
    Ok(())
}

/// The right to say the verdict. Some calls of the solver cannot be interrupted: then the time limit says it, and the
/// process ends.
#[derive(Default)]
pub(crate) struct LastWord {
    taken: Arc<AtomicBool>,
    is_ours: Cell<bool>,
}

impl LastWord {
    /// If nobody has taken the word a little after the limit, `say` is called and the process ends with `code`.
    pub(crate) fn give_up_after(&self, limit: Duration, code: u8, say: impl FnOnce() + Send + 'static) {
        let taken = self.taken.clone();
        let patience = limit + limit.mul_f64(0.03).max(Duration::from_millis(50));
        // Without the thread the limit is obeyed less exactly, that is all.
        let _ = std::thread::Builder::new().name("time limit".to_owned()).spawn(move || {
            std::thread::sleep(patience);
            if !taken.swap(true, Ordering::SeqCst) {
                say();
                std::process::exit(i32::from(code));
            }
        });
    }

    /// Takes the word, for good; does not return if the time limit has it.
    pub(crate) fn take(&self) {
        if !self.is_ours.replace(true) && self.taken.swap(true, Ordering::SeqCst) {
            loop {
                std::thread::park();
            }
        }
    }
}

/// Panics are told in our words from now on.
pub(crate) fn report_panics() {
    panic::set_hook(Box::new(report_panic));
}

/// Runs `work` on a thread with a large stack, or a quarter of the memory if that is less. `Err` is the message of a
/// panic.
pub(crate) fn on_large_stack<T: Send>(
    memory_limit: Option<u64>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    let stack = memory_limit.map_or(STACK_BYTES, |limit| (limit / 4).min(STACK_BYTES)) as usize;
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("summa".to_owned()).stack_size(stack);
        let running =
            thread.spawn_scoped(scope, work).map_err(|error| format!("cannot start a thread: {error}"))?;
        running.join().map_err(|payload| {
            let text = payload.downcast_ref::<String>().cloned();
            text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        })
    })
}

/// What a user sees of a bug: where it is, and that the verdict is not affected by more than being missing.
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
        let result: Result<(), String> = on_large_stack(None, || panic!("invariant {}", 3));
        assert_eq!(result, Err("invariant 3".to_owned()));
    }

    #[test]
    fn deep_recursion_fits() {
        fn depth(n: u32) -> u32 {
            if n == 0 { 0 } else { std::hint::black_box(depth(n - 1)) + 1 }
        }
        assert_eq!(on_large_stack(None, || depth(500_000)), Ok(500_000));
    }
}
