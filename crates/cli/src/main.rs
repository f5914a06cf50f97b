//! `summa`: the command line around the library `summa_verify`.
//!
//! **What it is.** Arguments, task files, project settings, limits of the process, output, and exit codes.
//! This is the only crate that prints and that decides how the process ends.
//!
//! **What it must not know.** How anything is decided.
//!
//! **Where to start reading.** `main` below chooses the command. `args.rs` has the options, and `commands`
//! one file for each command. `front_end.rs` reads the program, `telling.rs` reports what the library says,
//! `console.rs` prints. `process.rs` has limits and signals, `verdict.rs` the last line and the exit codes.

mod allocator;
mod archive;
mod args;
mod commands;
mod compile_commands;
mod config;
mod console;
mod diagnostics;
mod engine_run;
mod exports;
mod front_end;
mod known;
mod output;
mod process;
mod progress;
mod settings;
mod specification;
mod task;
mod telling;
mod trace;
mod verdict;
mod written;

use args::{Cli, Command};
use clap::Parser;
use console::Console;
use process::{Broken, Limit};
use std::io::Write;
use std::process::ExitCode;
use summa_base::Budget;
use verdict::{Exit, Verdict};

#[global_allocator]
static ALLOCATOR: allocator::Allocator = allocator::Allocator;

fn main() -> ExitCode {
    process::save_addresses();
    // Prints its message and ends with code 2 (0 for --help and --version) if the arguments make no sense.
    let mut command = match Cli::try_parse_from(args::normalise(std::env::args_os())) {
        Ok(cli) => cli.command,
        Err(message) => return written::exit(told(&message)).into(),
    };
    process::report_panics();
    let configured = match &mut command {
        Command::Verify(options) => settings::apply(options),
        Command::Harness(options) => settings::apply(&mut options.verify),
        _ => Ok(()),
    };
    if let Err(message) = configured {
        Console::new(false).error(&message);
        return Exit::Usage.into();
    }
    if let Some(bytes) = memory_limit(&command)
        && let Err(message) = process::limit_watched_memory(bytes)
    {
        Console::new(false).error(&message);
        return Exit::Usage.into();
    }
    allocator::expect_verdict(says_verdict(&command));
    let budget = Budget::unlimited();
    if let Err(error) = process::stop_on_signals(&budget.interrupt()) {
        Console::new(false).error(&format!("signals cannot be handled: {error}"));
    }
    let work = |budget: Budget| match &command {
        Command::Verify(options) => commands::verify::verify(options, budget),
        Command::Run(options) => commands::run::run(options, budget),
        Command::Cfa(options) => commands::cfa::show(options, budget),
        Command::Configs(options) => commands::configs::list(options),
        Command::Arg(options) => commands::arg::show(options, budget),
        Command::Summaries(options) => commands::summaries::show(options, budget),
        Command::Harness(options) => commands::harness::write(options, budget),
        Command::Validate(options) => commands::validate::validate(options, budget),
        Command::CheckProof(options) => commands::check_proof::check_proof(options, budget),
    };
    let exit = process::on_large_stack(memory_limit(&command), move || work(budget));
    let exit = exit.unwrap_or_else(|broken| {
        let (reason, exit) = match broken {
            Broken::NoStack => (Limit::Memory.reason(), Exit::Unknown),
            Broken::Panic(_) => ("internal error", Exit::Internal),
        };
        match &command {
            Command::Verify(options) => report_for(options).verdict(&Verdict::Unknown(reason.to_owned())),
            _ if exit == Exit::Unknown => Console::new(false).error(reason),
            _ => {}
        }
        exit
    });
    written::exit(exit).into()
}

/// Prints help, a version, or an error about the arguments.
fn told(message: &clap::Error) -> Exit {
    let is_written = message.print().and_then(|()| std::io::stdout().flush());
    if is_written.is_err() {
        written::incomplete();
    }
    if message.exit_code() == 0 { Exit::Holds } else { Exit::Usage }
}

/// The report with the destination of its text, if there is one.
fn report_for(options: &args::Verify) -> Console {
    match options.formats.output_format.is_for_programs() {
        true => Console::for_programs(options.quiet),
        false => Console::new(options.quiet),
    }
}

/// Is the last line of the text a verdict?
fn says_verdict(command: &Command) -> bool {
    match command {
        Command::Verify(options) => !options.formats.output_format.is_for_programs(),
        Command::Harness(_) | Command::Validate(_) | Command::CheckProof(_) => true,
        Command::Run(_) | Command::Cfa(_) | Command::Configs(_) | Command::Arg(_) | Command::Summaries(_) => {
            false
        }
    }
}

fn memory_limit(command: &Command) -> Option<u64> {
    match command {
        Command::Verify(options) => options.input.memory_limit,
        Command::Run(options) => options.input.memory_limit,
        Command::Arg(options) => options.engine.input.memory_limit,
        Command::Summaries(options) => options.engine.input.memory_limit,
        Command::Harness(options) => options.verify.input.memory_limit,
        Command::Validate(options) => options.verify.input.memory_limit,
        Command::CheckProof(options) => options.input.memory_limit,
        Command::Cfa(options) => options.memory_limit,
        Command::Configs(_) => None,
    }
}
