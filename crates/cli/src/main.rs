//! `summa`: the command line around the verifier. The only crate that prints and decides how the process ends.

mod archive;
mod args;
mod bug_finder;
mod commands;
mod config;
mod diagnostics;
mod front_end;
mod known;
mod process;
mod property;
mod report;
mod symbolic;
mod task;
mod trace;
mod verdict;

use args::{Cli, Command};
use clap::Parser;
use report::Report;
use std::process::ExitCode;
use summa_base::Budget;
use verdict::{Exit, Verdict};

fn main() -> ExitCode {
    // Prints its message and ends with code 2 (0 for --help and --version) if the arguments make no sense.
    let command = Cli::parse_from(args::normalise(std::env::args_os())).command;
    process::report_panics();
    if let Some(bytes) = memory_limit(&command)
        && let Err(message) = limit_memory(&command, bytes)
    {
        Report::new(false).error(&message);
        return Exit::Usage.into();
    }
    let budget = Budget::unlimited();
    if let Err(error) = process::stop_on_signals(&budget.interrupt()) {
        Report::new(false).error(&format!("signals cannot be handled: {error}"));
    }
    let work = |budget: Budget| match &command {
        Command::Verify(options) => commands::verify::verify(options, budget),
        Command::Run(options) => commands::run::run(options, budget),
        Command::Cfa(options) => commands::cfa::show(options),
        Command::Configs(options) => commands::configs::list(options),
        Command::Arg(options) => commands::arg::show(options, budget),
        Command::Summaries(options) => commands::summaries::show(options, budget),
    };
    let exit = process::on_large_stack(memory_limit(&command), move || work(budget));
    let exit = exit.unwrap_or_else(|_panic| {
        if matches!(command, Command::Verify(_)) {
            Report::new(true).verdict(&Verdict::Unknown("internal error".to_owned()));
        }
        Exit::Internal
    });
    exit.into()
}

fn memory_limit(command: &Command) -> Option<u64> {
    match command {
        Command::Verify(options) => options.input.memory_limit,
        Command::Run(options) => options.input.memory_limit,
        Command::Arg(options) => options.input.memory_limit,
        Command::Summaries(options) => options.input.memory_limit,
        Command::Cfa(_) | Command::Configs(_) => None,
    }
}

/// Engines are watched over; the interpreter counts for itself.
fn limit_memory(command: &Command, bytes: u64) -> Result<(), String> {
    match command {
        Command::Verify(_) | Command::Arg(_) | Command::Summaries(_) => process::limit_watched_memory(bytes),
        Command::Run(_) | Command::Cfa(_) | Command::Configs(_) => process::limit_memory(bytes),
    }
}
