//! One file for each command: what to do, in which order. `console.rs` decides how things are said.

pub(crate) mod arg;
pub(crate) mod cfa;
pub(crate) mod check_proof;
pub(crate) mod configs;
pub(crate) mod harness;
pub(crate) mod run;
pub(crate) mod summaries;
pub(crate) mod validate;
pub(crate) mod verify;

use crate::args::{Source, Verify};
use crate::console::Console;
use crate::front_end::Job;
use crate::process::OutputRight;
use crate::verdict::Exit;
use summa_base::Budget;
use summa_verify::{Automata, Settings};

/// The settings from the command line, except for the engine.
fn settings(options: &Verify, budget: Budget, word: &OutputRight) -> Settings {
    let second_solver = options.second_solver.clone();
    Settings {
        jobs: options.jobs,
        budget,
        limits_work: options.work_limit.is_some(),
        out_of_memory: word.out_of_memory(),
        second_solver: second_solver.map(|solver| solver.with_memory(options.input.memory_limit)),
        measure: options.stats,
        ..Settings::default()
    }
}

/// Reads a program for a command without a property. Errors have been reported.
fn load(report: &Console, source: &Source, entry: Option<&str>) -> Result<Automata, Exit> {
    match Job::new(source, None).and_then(|job| job.load(source, entry)) {
        Ok(loaded) => {
            report.diagnostics(&loaded.warnings, &loaded.sources);
            Ok(loaded)
        }
        Err(failure) => {
            report.failure(&failure);
            Err(failure.exit)
        }
    }
}
