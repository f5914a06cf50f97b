//! Value analysis on the reachability tasks of the task set, with everything followed and with refinement: no
//! task with a reachable error may be proved.
//!
//! `SUMMA_TASKS_STEP=1` takes all tasks, not every 40th; `SUMMA_TASKS_CATEGORY` those whose category contains
//! a text; `SUMMA_TASKS_SECONDS` limits each (default 1). Says for each task how it went. `SUMMA_BREADTH`
//! explores breadth-first, `SUMMA_PIVOT` cuts at the pivot, `SUMMA_LOCATION` refines by location,
//! `SUMMA_REASONS` takes so many reasons of a path.

#![allow(clippy::print_stderr, reason = "tests say what they found")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId, ErrorKind, Op};
use summa_cpa::{Cpa, Layer, Outcome, Product, Reached, Stop, cegar};
use summa_domains::Domain;
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::specification::Specification;
use summa_domains::value::{Options, Restart, Scope, Value, ValueRefiner};
use summa_facts::Analyses;
use summa_testkit::{KNOBS, read, tasks};

struct Run {
    answer: &'static str,
    states: usize,
    refinements: usize,
    followed: String,
    seconds: f64,
}

fn analyse(cfa: &Cfa, options: Options, seconds: u64) -> Run {
    let start = Instant::now();
    let facts = Analyses::new(cfa);
    let is_violation = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { kind: ErrorKind::Call(_) });
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Specification(Specification::new(cfa, Box::new(is_violation))),
        Domain::Value(Value::new(cfa, &facts, options)),
    ]);
    let layer = if KNOBS.breadth.is_set() { Layer::Breadth } else { Layer::Unrolled };
    let mut reached = Reached::new(vec![layer]);
    let (state, precision) = product.initial(cfa.entry());
    let root = reached.add_root(cfa, &product, cfa.entry(), state, precision);
    let mut refiner = ValueRefiner::new(3);
    if KNOBS.pivot.is_set() {
        refiner.restart = Restart::Pivot;
    }
    refiner.reasons = KNOBS.reasons.or(1) as usize;
    if KNOBS.location.is_set() {
        refiner.scope = Scope::Location;
    }
    let budget = Budget::unlimited().at_most(Duration::from_secs(seconds));
    let outcome = cegar(cfa, &mut product, &mut reached, &mut refiner, &budget);
    let answer = match &outcome {
        Ok(Outcome::Safe) => "safe",
        Ok(Outcome::Unsafe(_)) => "path",
        Err(Stop::Exhausted(_)) => "time",
        Err(Stop::Unsupported { .. }) => "unsupported",
        Err(Stop::GaveUp(_)) => "gave up",
    };
    let followed = match reached.nodes[root].precision.get(3) {
        Some(summa_domains::AnyPrecision::Value(precision)) => {
            precision.cells().map_or("all".to_owned(), |cells| cells.len().to_string())
        }
        _ => String::new(),
    };
    let states = reached.nodes.len();
    Run { answer, states, refinements: refiner.refinements, followed, seconds: start.elapsed().as_secs_f64() }
}

#[test]
fn no_reachable_error_is_proved_away() {
    let Some(mut all) = tasks() else { return };
    let category = KNOBS.tasks_category.text().unwrap_or_default();
    all.retain(|task| task.property == "unreach-call" && task.category.contains(&category));
    let step = KNOBS.tasks_step.or(40) as usize;
    let seconds = KNOBS.tasks_seconds.or(1);
    let mut summary: BTreeMap<(String, &str, &str, bool), (usize, f64)> = BTreeMap::new();
    for task in all.iter().step_by(step) {
        let Some(cfa) = read(&task.path, task.model) else { continue };
        for (name, options) in
            [("all", Options::default()), ("limit", Options::limited()), ("lazy", Options::lazy())]
        {
            let run = analyse(&cfa, options, seconds);
            eprintln!(
                "{:60} {name:5} {} {:8} {:7} states {:4} refinements {:4} cells {:.2} s",
                task.path.file_name().unwrap().to_string_lossy(),
                if task.is_safe { "safe  " } else { "unsafe" },
                run.answer,
                run.states,
                run.refinements,
                run.followed,
                run.seconds
            );
            let entry = summary.entry((task.category.clone(), name, run.answer, task.is_safe)).or_default();
            entry.0 += 1;
            entry.1 += run.seconds;
            assert!(run.answer != "safe" || task.is_safe, "{} is unsafe, but proved", task.path.display());
        }
    }
    for ((category, name, answer, is_safe), (count, seconds)) in summary {
        let truth = if is_safe { "safe" } else { "unsafe" };
        eprintln!("{category:28} {name:5} {truth:6} {answer:8} {count:4} tasks {seconds:8.1} s");
    }
}
