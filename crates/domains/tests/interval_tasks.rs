//! Interval analysis alone on the reachability tasks of the task set: no task with a reachable error may be
//! proved.
//!
//! `SUMMA_TASKS_STEP=1` takes all tasks, not every 10th; `SUMMA_TASKS_CATEGORY` those whose category contains
//! a text; `SUMMA_TASKS_SECONDS` limits each (default 2).

#![allow(clippy::print_stderr, reason = "tests say what they found")]

use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId, ErrorKind, Op};
use summa_cpa::{Cpa, CpaPlusPlus, Layer, Product, Reached, cpa_plus_plus};
use summa_domains::Domain;
use summa_domains::callstack::Callstack;
use summa_domains::interval::{Intervals, narrow};
use summa_domains::location::Location;
use summa_domains::scalars::Options;
use summa_domains::specification::Specification;
use summa_facts::Analyses;
use summa_testkit::{KNOBS, Task, read, tasks};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Proved,
    ProvedByNarrowing,
    MaybeReachable,
    OutOfTime,
}

fn analyse(cfa: &Cfa, budget: &Budget) -> Answer {
    let facts = Analyses::new(cfa);
    let is_violation = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { kind: ErrorKind::Call(_) });
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Specification(Specification::new(cfa, Box::new(is_violation))),
        Domain::Interval(Intervals::new(cfa, &facts, Options::default())),
    ]);
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(cfa, &product, cfa.entry(), state, precision);
    match cpa_plus_plus(cfa, &mut product, &mut reached, &|_, _| false, budget) {
        Ok(CpaPlusPlus::Complete) if reached.targets().next().is_none() => Answer::Proved,
        Ok(_) => match narrow(&mut product, &mut reached, 2, budget) {
            Ok(unreachable) if reached.targets().all(|target| unreachable.contains(target)) => {
                Answer::ProvedByNarrowing
            }
            Ok(_) => Answer::MaybeReachable,
            Err(_) => Answer::OutOfTime,
        },
        Err(_) => Answer::OutOfTime,
    }
}

#[test]
fn no_reachable_error_is_proved_away() {
    let Some(all) = tasks() else { return };
    let category = KNOBS.tasks_category.text().unwrap_or_default();
    let wanted = |task: &&Task| task.property == "unreach-call" && task.category.contains(&category);
    let seconds = KNOBS.tasks_seconds.or(2);
    let mut answers: BTreeMap<(String, bool, Answer), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    let verbose = KNOBS.tasks_verbose.is_set();
    for task in all.iter().filter(wanted).step_by(KNOBS.tasks_step.or(10) as usize) {
        let Some(cfa) = read(&task.path, task.model) else { continue };
        let answer = analyse(&cfa, &Budget::with_time(Duration::from_secs(seconds)));
        if verbose {
            eprintln!("{} {answer:?} {}", task.path.display(), task.is_safe);
        }
        *answers.entry((task.category.clone(), task.is_safe, answer)).or_default() += 1;
        if !task.is_safe && matches!(answer, Answer::Proved | Answer::ProvedByNarrowing) {
            wrong.push(task.path.display().to_string());
        }
    }
    for ((category, is_safe, answer), count) in answers {
        eprintln!("{category:35} expected {is_safe:5} {answer:?}: {count}");
    }
    assert!(wrong.is_empty(), "proved, but an error is reachable: {wrong:#?}");
}
