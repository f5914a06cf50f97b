//! The command line as users type it. Options keep the names that users of other verifiers and of C compilers
//! know.
//!
//! Here are the commands that decide something. The examples in their help are run by
//! `crates/cli/tests/examples.rs`.

mod exports;
mod input;
mod show;
mod spelling;
mod values;

use clap::{Args, Parser, Subcommand};
pub(crate) use exports::{Exports, Formats};
pub(crate) use input::{Input, Source};
pub(crate) use show::{Configs, EngineOptions, ShowArg, ShowCfa, ShowSummaries};
pub(crate) use spelling::normalise;
use std::path::PathBuf;
use std::time::Duration;
use summa_interp::InputValue;
use summa_proof::SecondSolver;
pub(crate) use values::{
    EncodingName, Format, Globals, HarnessFormat, OutputFormat, TextFormat, WitnessFormat, parse_data_model,
    parse_duration, parse_size,
};
use values::{parse_input, parse_jobs};

#[derive(Debug, Parser)]
#[command(
    name = "summa",
    version,
    about = "A verifier for C: proofs that can be checked, counterexamples that can be replayed",
    after_help = "Examples, with programs that come with Summa:
  summa verify examples/withdraw.c        # can an error function be called, or an assertion fail?
  summa verify --check no-overflow --32 examples/average.c    # that, and no signed overflow
  summa verify examples/lock.yml          # a task definition: files, property and data model in one
  summa run --seed 7 --trace examples/withdraw.c    # execute the program and show its path
  summa cfa --function main --format dot examples/lock.c | dot -Tsvg > main.svg
  summa configs                           # the engines, each a configuration
  summa verify --config predicate examples/lock.c
  summa summaries examples/sum.c          # what each function needs and does, as contracts

`summa FILE.c` is short for `summa verify FILE.c`. Each command explains itself: summa help verify."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Verify(Verify),
    Run(Run),
    Cfa(ShowCfa),
    Configs(Configs),
    Arg(ShowArg),
    Summaries(ShowSummaries),
    Harness(Harness),
    Validate(Validate),
    CheckProof(CheckProof),
}

/// Does the program have the property?
///
/// Reads the program, prints what was read and what is assumed, and looks for an execution that violates the
/// property. A violation is reported only after the execution was replayed with its recorded inputs.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "Exit codes:
   0  Verdict: TRUE      the property holds
  10  Verdict: FALSE     it is violated; the counterexample is printed
   5  Verdict: UNKNOWN   not decided, with the reason
   2  the command line is wrong
   6  an input cannot be read, is not C, or uses something unsupported (Verdict: UNKNOWN)
  70  a bug in summa (Verdict: UNKNOWN)
  74  something that was asked for, or standard output, could not be written

The last line on standard output is always the verdict; problems with the input go to standard
error.

What stops a path that leads to no verdict: abort, exit, a failed assumption, and, unless it is the
property, undefined behaviour such as a division by zero. Signed overflow wraps around unless the
property is no-overflow.

Examples, with programs that come with Summa:
  summa verify examples/withdraw.c
  summa verify --explain -j 2 examples/sum.c
  summa verify --sarif findings.sarif --output-format github examples/withdraw.c
  summa verify --property examples/unreach-call.prp --32 --time-limit 60 examples/lock.c
  summa verify --property valid-memsafety -std=c99 -D NDEBUG examples/list.c
  summa verify --config predicate --encoding bitvector examples/lock.c
  summa verify --config predicate --explain-config
  summa verify --config value+predicate-bam-rec \\
      --save-summaries .summa --load-summaries .summa examples/sum.c

On a limit, Ctrl-C or SIGTERM the run says what it knows: the bound up to which there is no error,
refinements, locations with an invariant, the loop where it was most often. A second Ctrl-C ends it
at once.")]
pub(crate) struct Verify {
    /// What to verify: a property file (.prp) or a name
    ///
    /// Names: unreach-call, no-overflow, division-by-zero, shift, valid-memsafety (valid-deref, valid-free,
    /// valid-memtrack), valid-memcleanup. Without this option: no call of reach_error or __VERIFIER_error and
    /// no failing assertion is reachable. A property file counts literally: only calls of the function that
    /// it names are errors. May be given several times: each property gets a verdict of its own, and the last
    /// line is FALSE if one is violated, TRUE if all hold.
    #[arg(short, long, visible_alias = "spec", alias = "prop", value_name = "FILE.prp|NAME")]
    pub(crate) property: Vec<String>,

    /// Verify these too: names as for --property, in a list
    #[arg(long, value_name = "NAME,NAME…", value_delimiter = ',')]
    pub(crate) check: Vec<String>,

    /// Use this engine alone: a name from `summa configs`, or a file (.toml)
    ///
    /// Without it: executions with zero, small and random inputs, then the engines that fit the program (see
    /// --explain).
    #[arg(short, long, value_name = "NAME|FILE.toml")]
    pub(crate) config: Option<String>,

    /// Over which arithmetic formulas are written, instead of what the configuration says
    #[arg(long, value_enum, requires = "config", value_name = "ARITHMETIC")]
    pub(crate) encoding: Option<EncodingName>,

    /// Let the engine prove the program with cells instead of arrays: an answer can only be TRUE then
    #[arg(long, requires = "config")]
    pub(crate) cells: bool,

    /// Print what the configuration is composed of, and do nothing
    #[arg(long, requires = "config")]
    pub(crate) explain_config: bool,

    /// Store the summaries of functions that the run proved in this folder (configurations with a section
    /// `bam`)
    #[arg(long, requires = "config", value_name = "DIR")]
    pub(crate) save_summaries: Option<PathBuf>,

    /// Use the summaries in this folder for functions that did not change (configurations with a section
    /// `bam`)
    ///
    /// A function's summaries are used only if nothing that they depend on has changed: its code and that of
    /// all functions that it calls, the types, the variables they share with the rest of the program, the
    /// property and the configuration. May be the folder of --save-summaries.
    #[arg(long, requires = "config", value_name = "DIR")]
    pub(crate) load_summaries: Option<PathBuf>,

    /// Ask this solver too about every query that a proof rests on: a command that reads SMT-LIB on its
    /// standard input
    ///
    /// With its arguments, between blanks, for example "cvc5 --lang smt2". If it disagrees, fails or does not
    /// know, the proof is not confirmed, and the verdict is UNKNOWN with that reason.
    #[arg(long, value_name = "CMD", value_parser = SecondSolver::new)]
    pub(crate) second_solver: Option<SecondSolver>,

    /// Stop after this time and say what is known by then (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Stop after this much work, counted in steps and questions: the same in every run, on a busy machine
    /// too
    ///
    /// The unit is about a second of an ordinary machine (60, 60s, 15min).
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) work_limit: Option<Duration>,

    /// Run up to this many engines at once, if the strategy chooses them; the first answer counts
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = parse_jobs)]
    #[arg(conflicts_with = "config")]
    pub(crate) jobs: usize,

    /// Say which features the program has, which engines were tried because of them, and how each ended
    #[arg(long, conflicts_with = "config")]
    pub(crate) explain: bool,

    /// Print nothing but the verdict (errors in the input still go to standard error)
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Print how much was done: sizes, runs, steps, operators of each domain, questions to the solver, times
    #[arg(long)]
    pub(crate) stats: bool,

    /// Verify the programs of this compilation database (compile_commands.json, or the folder with it); files
    /// beside it choose which
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) compile_commands: Option<PathBuf>,

    /// Verify each function of the compilation database that is not static on its own, with any arguments
    #[arg(long, conflicts_with = "function")]
    pub(crate) all_functions: bool,

    /// Take defaults for options from this file instead of the nearest `summa.toml` upwards from the first
    /// input
    #[arg(long, value_name = "FILE.toml", conflicts_with = "no_settings")]
    pub(crate) settings: Option<PathBuf>,

    /// Look for no `summa.toml`
    #[arg(long)]
    pub(crate) no_settings: bool,

    #[command(flatten)]
    pub(crate) formats: Formats,

    #[command(flatten)]
    pub(crate) exports: Exports,

    #[command(flatten)]
    pub(crate) input: Input,
}

/// Execute the program with exact C semantics
///
/// Interprets the program with inputs from a list, from a random seed, or all zero, and says how the
/// execution ended: normally, in an error call, in a failed assertion, or in undefined behaviour (overflow,
/// bad pointer, …).
#[derive(Args, Debug)]
#[command(after_long_help = "Exit codes (the program's own result is printed, never returned):
   0  the program ended: it returned or called exit or abort, or an assumption was false
  10  an error call, a failed assertion or a fault was detected
   5  the run was stopped: step limit, memory limit, unsupported construct, interrupted
   2  the command line is wrong
   6  an input cannot be read, is not C, or uses something unsupported
  70  a bug in summa
  74  standard output could not be written

Examples, with programs that come with Summa:
  summa run examples/withdraw.c                      # all inputs are zero
  summa run --inputs 100,-3 examples/withdraw.c      # the first two inputs; zero after them
  summa run --seed 7 --trace examples/withdraw.c     # random inputs, the same for the same seed
  summa run --memory examples/list.c                 # also report memory that was never freed")]
pub(crate) struct Run {
    /// Values for the calls of __VERIFIER_nondet_*, in order; zero after the last
    ///
    /// Integers (42, -7, 0xff), floating-point numbers (1.5, 1e3, inf, nan), or the exact bits of one
    /// (bits:0x3f800000).
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', allow_hyphen_values = true)]
    #[arg(conflicts_with = "seed", value_parser = parse_input)]
    pub(crate) inputs: Option<Vec<InputValue>>,

    /// Take the inputs from a random generator started with this number
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Print each step: source line, what was done, values
    #[arg(long)]
    pub(crate) trace: bool,

    /// Stop after this many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000)]
    pub(crate) steps: u64,

    /// Stop after this time (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Let signed arithmetic wrap around instead of stopping at the overflow
    #[arg(long, alias = "fwrapv")]
    pub(crate) wrap: bool,

    /// At the end, report memory that was allocated and never freed
    #[arg(long, alias = "leaks")]
    pub(crate) memory: bool,

    #[command(flatten)]
    pub(crate) input: Input,
}

/// Does a proof from a file hold for a program?
///
/// Proves every step of the proof again, with formulas and a solver of its own. No engine takes part, and
/// nothing in the file is trusted: a proof of another program is refused unless it proves this one as well.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa verify --proof sum.json examples/sum.c
  summa check-proof --proof sum.json examples/sum.c

Exit codes: 0 confirmed, 5 not confirmed, 6 the file is no proof, otherwise as for verify.")]
pub(crate) struct CheckProof {
    /// The file with the proof, as written by `summa verify --proof`
    #[arg(long, value_name = "FILE.json")]
    pub(crate) proof: PathBuf,

    /// What is an error: a property file (.prp) or a name
    #[arg(short, long, visible_alias = "spec", value_name = "FILE.prp|NAME")]
    pub(crate) property: Option<String>,

    /// Ask this solver too about every query that a proof rests on: a command that reads SMT-LIB on its
    /// standard input
    ///
    /// With its arguments, between blanks, for example "cvc5 --lang smt2". If it disagrees, fails or does not
    /// know, the proof is not confirmed, and the verdict is UNKNOWN with that reason.
    #[arg(long, value_name = "CMD", value_parser = SecondSolver::new)]
    pub(crate) second_solver: Option<SecondSolver>,

    /// Stop after this time (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Stop after this much work, counted in steps and questions: the same in every run, on a busy machine
    /// too
    ///
    /// The unit is about a second of an ordinary machine (60, 60s, 15min).
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) work_limit: Option<Duration>,

    /// Print only the verdict
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) input: Input,
}

/// Check a witness, ours or that of another verifier
///
/// A violation witness is followed by an execution: its constraints give the inputs, all waypoints must be
/// passed in their order, and the target must violate the property. Of a correctness witness every invariant
/// and contract is proved, and the program too. Without --property, the property is the one that the witness
/// names. A witness about files with other hashes, another data model or another property is refused.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("witness", |arg| {
    arg.help("The witness to check, in YAML or GraphML").required(true).help_heading("Options")
}))]
#[command(mut_arg("witness_format", |arg| arg.hide(true)))]
#[command(mut_arg("witness_contracts", |arg| arg.hide(true)))]
#[command(mut_arg("harness", |arg| arg.hide(true)))]
#[command(mut_arg("test_suite", |arg| arg.hide(true)))]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa verify --witness withdraw.yml examples/withdraw.c
  summa validate --witness withdraw.yml examples/withdraw.c
  summa verify --32 --witness lock.graphml examples/lock.c
  summa validate --witness lock.graphml --property examples/unreach-call.prp --32 examples/lock.c

Exit codes: 0 TRUE and 10 FALSE, if the witness is confirmed; 5 UNKNOWN, with the reason; 2 and 6 as
for verify.")]
pub(crate) struct Validate {
    /// Validate the witness although it names other files, or files with other hashes
    #[arg(long)]
    pub(crate) ignore_hash: bool,

    #[command(flatten)]
    pub(crate) verify: Verify,
}

/// Make a violation something that gcc can run
///
/// Verifies the program, with all options of `summa verify`. If the property is violated, writes a C file
/// that defines the inputs (__VERIFIER_nondet_int and the like) with their values in order, and prints the
/// command that compiles it together with the program. Reaching the error then prints "summa: error reached"
/// and ends with exit code 107.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa harness -o harness.c examples/withdraw.c
  summa harness --property no-overflow --32 -o overflow.c examples/average.c
  summa harness --format test-comp -o test-suite examples/withdraw.c

Exit codes: as for verify; a harness is written only with FALSE.")]
pub(crate) struct Harness {
    /// The file to write (harness.c), or the folder of a test suite (test-suite)
    #[arg(short, long, value_name = "FILE.c|DIR")]
    pub(crate) output: Option<PathBuf>,

    /// What to write
    #[arg(long, value_enum, default_value_t = HarnessFormat::Gcc)]
    pub(crate) format: HarnessFormat,

    #[command(flatten)]
    pub(crate) verify: Verify,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    /// Lines that the parser breaks cannot be copied as they are.
    #[test]
    fn help_fits_on_its_lines() {
        let commands = Cli::command();
        let all = commands.get_subcommands().chain([&commands]);
        for help in
            all.flat_map(|command| [command.get_after_help(), command.get_after_long_help()]).flatten()
        {
            let text = help.to_string();
            let long = text.lines().find(|line| line.chars().count() > 100);
            assert_eq!(long, None);
        }
    }

    #[test]
    fn inputs_are_numbers() {
        let line = "summa run --inputs -3,0x10,1.5 a.c".split(' ');
        let Command::Run(run) = Cli::try_parse_from(line).unwrap().command else { panic!("not a run") };
        assert_eq!(run.inputs.unwrap(), [InputValue::Int(-3), InputValue::Int(16), InputValue::Float(1.5)]);
        assert!(parse_input("x").is_err() && parse_input("").is_err());
    }
}
