//! The allocator of the process. When no memory is left, it answers UNKNOWN with that reason.
//!
//! Limits from outside (`ulimit -v`, benchmark tools) are hit in the middle of an allocation. Rust would then
//! end the process with a message and a signal, without a verdict, which looks like a crash. So a refused
//! request ends here. Nothing may be allocated on the way. So the text is fixed, and what is known so far is
//! not printed.

use crate::verdict::Exit;
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use summa_base::clock::{self, Unit};

const WORDS: &str = "\nVerdict: UNKNOWN(memory limit)\n";
const MESSAGE: &str = "summa: no memory is left\n";

/// A verdict is expected as a line of text, and none was printed yet.
static EXPECTS_VERDICT: AtomicBool = AtomicBool::new(false);

/// Sets whether the final message must be a verdict.
pub(crate) fn expect_verdict(is_expected: bool) {
    EXPECTS_VERDICT.store(is_expected, Ordering::SeqCst);
}

pub(crate) struct Allocator;

// SAFETY: everything is done by mimalloc; a null pointer is not handed on.
#[allow(unsafe_code, reason = "this is how Rust is told of an allocator")]
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        given(unsafe { MiMalloc.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        given(unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise is passed on.
        given(unsafe { MiMalloc.realloc(old, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { MiMalloc.dealloc(memory, layout) }
    }
}

/// Each request is counted as work of its thread, because engines request memory about as often as they do
/// something.
#[inline]
fn given(memory: *mut u8) -> *mut u8 {
    clock::count(Unit::Allocation, 1);
    if memory.is_null() {
        end();
    }
    memory
}

/// Prints the final message, once, and ends the process.
#[cold]
fn end() -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    if IS_ENDING.swap(true, Ordering::SeqCst) {
        // Another thread is already ending the process. Sleeping allocates nothing, unlike `park`.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    write(2, MESSAGE);
    if EXPECTS_VERDICT.load(Ordering::SeqCst) {
        write(1, WORDS);
    }
    // SAFETY: ends the process, without anything that could allocate.
    #[allow(unsafe_code, reason = "nothing may run at the end")]
    unsafe {
        libc::_exit(Exit::Unknown.code().into())
    }
}

fn write(to: i32, text: &str) {
    // SAFETY: the bytes outlive the call.
    #[allow(unsafe_code, reason = "standard output may be locked, and its buffer allocated")]
    unsafe {
        libc::write(to, text.as_ptr().cast(), text.len());
    }
}
