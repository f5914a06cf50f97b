//! Carries out a plan: one engine after the other, or several at once, until one has an answer.
//!
//! The caller decides what an engine is and what counts as an answer. This module deals with time and
//! threads. Each attempt gets its share of the time that is left. With several at once, the shares grow
//! accordingly. Engines that run at once share the program and the board, without locks; the first answer
//! stops the others. With one job at a time, only the end of the run in real time is not deterministic.

use crate::strategy::{Stage, Work};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::Duration;
use summa_base::{Budget, clock};
use summa_engines::Task;

/// If the user sets no limit, shares are parts of this. A stage that may use all of the time then has no
/// limit.
pub const DEFAULT_TIME: Duration = Duration::from_secs(100);
/// How often the thread that waits for the others looks whether the user still wants an answer.
const LOOK_UP: Duration = Duration::from_millis(20);
/// Engines recurse little, but the solver does.
const STACK: usize = 256 << 20;

/// An engine that was tried.
#[derive(Debug)]
pub struct Attempt<A> {
    /// The number of the engine's stage in the plan.
    pub stage: usize,
    pub answer: A,
    /// Counted work.
    pub time: Duration,
}

/// The function that runs a stage, shared by all threads.
type Run<'f, 't, A> = dyn Fn(&Task<'t>, &Stage) -> A + Sync + 'f;

/// Runs the stages, at most `jobs` at once, until an answer is final. The last attempt of the list is the one
/// with the final answer, if there is one.
pub fn carry_out<'t, A: Send>(
    task: &Task<'t>,
    stages: &[Stage],
    jobs: usize,
    run: &Run<'_, 't, A>,
    is_final: impl Fn(&A) -> bool,
) -> Vec<Attempt<A>> {
    if jobs > 1 && stages.len() > 1 {
        return at_once(task, stages, jobs.min(stages.len()), run, is_final);
    }
    let mut attempts = Vec::new();
    for (stage, plan) in stages.iter().enumerate() {
        let budget = part(&task.budget, 1, plan);
        let attempt = timed(&Task { budget, ..task.clone() }, stage, plan, run);
        let is_over = is_final(&attempt.answer) || task.budget.check_now().is_err();
        attempts.push(attempt);
        if is_over {
            break;
        }
    }
    attempts
}

/// At most this part of the time that is left, for each of `jobs` engines that run at once. It is counted
/// work of the engine, so the result of a plan does not depend on the speed or load of the machine.
fn part(budget: &Budget, jobs: usize, plan: &Stage) -> Budget {
    let jobs = u32::try_from(jobs).unwrap_or(1);
    let share = plan.share * f64::from(jobs);
    if share >= 1.0 {
        return budget.at_most(plan.at_most);
    }
    let left = budget.remaining_among(jobs).unwrap_or(DEFAULT_TIME);
    // Executions count their steps; time is for those whose steps are slow.
    let share = if matches!(plan.work, Work::Exploration) { (2.0 * share).min(1.0) } else { share };
    let needed = plan.at_least.min(left.mul_f64(0.5));
    budget.at_most(left.mul_f64(share).max(needed).min(plan.at_most))
}

fn timed<'t, A>(task: &Task<'t>, stage: usize, plan: &Stage, run: &Run<'_, 't, A>) -> Attempt<A> {
    let started = clock::Work::start();
    let answer = run(task, plan);
    Attempt { stage, answer, time: started.elapsed() }
}

/// The same with threads: each takes the next stage that is free.
fn at_once<'t, A: Send>(
    task: &Task<'t>,
    stages: &[Stage],
    jobs: usize,
    run: &Run<'_, 't, A>,
    is_final: impl Fn(&A) -> bool,
) -> Vec<Attempt<A>> {
    // A flag of their own: the first answer stops the other engines and not the whole run.
    let enough = Arc::new(AtomicBool::new(false));
    let next = AtomicUsize::new(0);
    let shares = (task.budget.share_left(), task.whole.share_left());
    let worker = |task: Task<'t>, found: Sender<Attempt<A>>| {
        let (budget, whole) = (task.budget.taken_over(shares.0), task.whole.taken_over(shares.1));
        let task = Task { budget, whole, ..task };
        while task.budget.check_now().is_ok() {
            let stage = next.fetch_add(1, Ordering::Relaxed);
            let Some(plan) = stages.get(stage) else { return };
            let budget = part(&task.budget, jobs, plan);
            if found.send(timed(&Task { budget, ..task.clone() }, stage, plan, run)).is_err() {
                return;
            }
        }
    };
    let mut attempts = Vec::new();
    std::thread::scope(|scope| {
        let (sender, found) = channel();
        for _ in 0..jobs {
            let (sender, worker) = (sender.clone(), &worker);
            let task = Task { budget: task.budget.stopped_by(&enough), ..task.clone() };
            let run = move || worker(task, sender);
            // Fewer threads only take longer. Without any thread there is no attempt, and so no answer.
            if Builder::new().stack_size(STACK).spawn_scoped(scope, run).is_err() {
                break;
            }
        }
        drop(sender);
        loop {
            match found.recv_timeout(LOOK_UP) {
                Ok(attempt) => {
                    let is_over = is_final(&attempt.answer);
                    attempts.push(attempt);
                    if is_over {
                        break;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    if task.budget.check_now().is_err() {
                        enough.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
        enough.store(true, Ordering::Relaxed);
    });
    attempts
}
