//! Ctrl-C belongs to the process: while Z3 is at work, its own handler must not stand in the place of ours.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use summa_smt::{Answer, Family, Limits, Reason, Solver, Z3Solver};
use summa_term::{Sort, Terms};

/// Does this process catch SIGINT, according to the system?
fn is_caught() -> bool {
    const SIGINT: u32 = 2;
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
    u64::from_str_radix(caught.trim(), 16).unwrap() >> (SIGINT - 1) & 1 == 1
}

/// A question without an answer in sight: the factors of a product of two primes of 31 bits each.
fn ask(is_whole: bool, limits: Limits, is_started: &AtomicBool) -> Answer {
    let mut terms = Terms::new();
    let mut solver = Z3Solver::new(&Family::new().unwrap()).unwrap();
    let work = if is_whole { 1 } else { u32::MAX };
    solver.set_incremental_work(work);
    solver.set_limits(limits);
    let [x, y] = ["x", "y"].map(|name| {
        let family = terms.declare(name, Sort::Bv(64));
        terms.symbol(family, 0)
    });
    let one = terms.bv(64, 1);
    let composite = terms.bv(64, 2_147_483_647 * 2_147_483_629);
    let limit = terms.bv(64, 1 << 32);
    let product = terms.bv_mul(x, y);
    let conditions =
        [terms.eq(product, composite), terms.bv_ult(one, x), terms.bv_ult(x, y), terms.bv_ult(y, limit)];
    let all = terms.and(&conditions);
    solver.assert(&terms, all);
    is_started.store(true, Ordering::SeqCst);
    solver.check(&mut terms, &[])
}

#[test]
fn the_solver_catches_no_interrupts() {
    assert!(!is_caught());
    for is_whole in [false, true] {
        let [flag, is_started] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let limits = Limits { interrupt: Some(Arc::clone(&flag)), ..Limits::default() };
        let started = Arc::clone(&is_started);
        let asking = std::thread::spawn(move || ask(is_whole, limits, &started));
        while !is_started.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        for _ in 0..5_000 {
            assert!(!is_caught(), "the solver has a handler of its own");
        }
        flag.store(true, Ordering::SeqCst);
        assert_eq!(asking.join().unwrap(), Answer::Unknown(Reason::Interrupted));
    }
}
