//! The command line as users type it. Options keep the names that users of other verifiers and of C compilers know.
//!
//! Compiler spellings with one dash (`-std=c11`, `-include`, `-m32`) and `summa FILE.c` for `summa verify FILE.c` are
//! rewritten by [`normalise`] before the arguments are parsed.

mod values;

use crate::compile_commands::Unit;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use summa_c::types::DataModel;
use summa_interp::InputValue;
pub(crate) use values::{
    EncodingName, Format, HarnessFormat, OutputFormat, TextFormat, WitnessFormat, parse_data_model,
    parse_duration, parse_size,
};
use values::{parse_input, parse_jobs};

#[derive(Debug, Parser)]
#[command(
    name = "summa",
    version,
    about = "A verifier for C: proofs that can be checked, counterexamples that can be replayed",
    after_help = "Examples:
  summa verify bank.c                     can an error function be called, or an assertion fail?
  summa verify --check no-overflow --32 bank.c    that, and no signed overflow
  summa verify task.yml                   a task definition: files, property and data model in one
  summa run --seed 7 --trace bank.c       execute the program and show its path
  summa cfa --function main --format dot bank.c | dot -Tsvg > main.svg
  summa configs                           the engines, each a configuration
  summa verify --config predicate bank.c
  summa summaries bank.c                  what each function needs and does, as contracts

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
/// Reads the program, prints what was read and what is taken for granted, and looks for an execution that violates the
/// property. A violation is reported only after the execution was replayed with its recorded inputs.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "Exit codes:
   0  Verdict: TRUE      the property holds
  10  Verdict: FALSE     it is violated; the counterexample is printed
   5  Verdict: UNKNOWN   not decided, with the reason
   2  the command line is wrong
   6  an input cannot be read, is not C, or uses something unsupported (Verdict: UNKNOWN)
  70  a bug in summa (Verdict: UNKNOWN)

The last line on standard output is always the verdict; problems with the input go to standard error.

What stops a path that leads to no verdict: abort, exit, a failed assumption, and, unless it is the property,
undefined behaviour such as a division by zero. Signed overflow wraps around unless the property is no-overflow.

Examples:
  summa verify bank.c
  summa verify --explain -j 2 bank.c
  summa verify --sarif findings.sarif --output-format github bank.c
  summa verify --property unreach-call.prp --data-model ILP32 --time-limit 60 task.i
  summa verify --property valid-memsafety -I include -D NDEBUG list.c main.c
  summa verify --config predicate --encoding bitvector bank.c
  summa verify --config predicate --explain-config
  summa verify --config value+predicate-bam-rec --save-summaries .summa --load-summaries .summa bank.c

On a limit, Ctrl-C or SIGTERM the run says what it knows: the bound up to which there is no error, refinements,
locations with an invariant, the loop where it was most often. A second Ctrl-C ends it at once.")]
pub(crate) struct Verify {
    /// What to verify: a property file (.prp) or a name
    ///
    /// Names: unreach-call, no-overflow, division-by-zero, shift, valid-memsafety (valid-deref, valid-free, valid-memtrack), valid-memcleanup.
    /// Without this option: no call of reach_error or __VERIFIER_error and no failing assertion is reachable. A property
    /// file counts literally: only calls of the function that it names are errors. May be given several times: each property gets a
    /// verdict of its own, and the last line is FALSE if one is violated, TRUE if all hold.
    #[arg(short, long, visible_alias = "spec", alias = "prop", value_name = "FILE.prp|NAME")]
    pub(crate) property: Vec<String>,

    /// Verify these too: names as for --property, in a list
    #[arg(long, value_name = "NAME,NAME…", value_delimiter = ',')]
    pub(crate) check: Vec<String>,

    /// Use this engine alone: a name from `summa configs`, or a file (.toml)
    ///
    /// Without it: executions with zero, small and random inputs, then the engines that fit the program (see --explain).
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

    /// Store the summaries of functions that the run proved in this folder (configurations with a section `bam`)
    #[arg(long, requires = "config", value_name = "DIR")]
    pub(crate) save_summaries: Option<PathBuf>,

    /// Use the summaries in this folder for functions that did not change (configurations with a section `bam`)
    ///
    /// A function's summaries are used only if its code, that of all functions that it calls, the types, the variables they
    /// share with the rest of the program, the property and the configuration are what they were. May be the folder of --save-summaries.
    #[arg(long, requires = "config", value_name = "DIR")]
    pub(crate) load_summaries: Option<PathBuf>,

    /// Stop after this time and say what is known by then (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Run up to this many engines at once, if the strategy chooses them; the first answer counts
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = parse_jobs, conflicts_with = "config")]
    pub(crate) jobs: usize,

    /// Say what the program has in it, which engines were tried for that, and what each came to
    #[arg(long, conflicts_with = "config")]
    pub(crate) explain: bool,

    /// Print nothing but the verdict (errors in the input still go to standard error)
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Print how much was done: sizes, runs, steps, operators of each domain, questions to the solver, times
    #[arg(long)]
    pub(crate) stats: bool,

    /// Verify the programs of this compilation database (compile_commands.json, or the folder with it)
    #[arg(long, value_name = "FILE|DIR", conflicts_with = "files")]
    pub(crate) compile_commands: Option<PathBuf>,

    /// Verify each function of the compilation database that is not static on its own, with any arguments
    #[arg(long, conflicts_with = "function")]
    pub(crate) all_functions: bool,

    /// Take defaults for options from this file instead of the nearest `summa.toml` upwards from the first input
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
/// Interprets the program with inputs from a list, from a random seed, or all zero, and says how the execution ended:
/// normally, in an error call, in a failed assertion, or in undefined behaviour (overflow, bad pointer, …).
#[derive(Args, Debug)]
#[command(after_long_help = "Exit codes (the program's own result is printed, never returned):
   0  the program ended: it returned or called exit or abort, or an assumption was false
  10  an error call, a failed assertion or a fault was detected
   5  the run was stopped: step limit, memory limit, unsupported construct, interrupted
   2  the command line is wrong
   6  an input cannot be read, is not C, or uses something unsupported
  70  a bug in summa

Examples:
  summa run bank.c                        all inputs are zero
  summa run --inputs 100,-3 bank.c        the first two inputs; zero after them
  summa run --seed 7 --trace bank.c       random inputs, the same ones for the same seed
  summa run --memory list.c               also report memory that was never freed")]
pub(crate) struct Run {
    /// Values for the calls of __VERIFIER_nondet_*, in order; zero after the last
    ///
    /// Integers (42, -7, 0xff), floating-point numbers (1.5, 1e3, inf, nan), or the exact bits of one (bits:0x3f800000).
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', allow_hyphen_values = true, conflicts_with = "seed",
          value_parser = parse_input)]
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

    /// Let signed arithmetic wrap around instead of stopping at the overflow
    #[arg(long, alias = "fwrapv")]
    pub(crate) wrap: bool,

    /// At the end, report memory that was allocated and never freed
    #[arg(long, alias = "leaks")]
    pub(crate) memory: bool,

    #[command(flatten)]
    pub(crate) input: Input,
}

/// Show the control-flow automata of a program
///
/// One automaton per function: locations as nodes, operations as edges.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples:
  summa cfa bank.c                                      all functions as text
  summa cfa --function main --format dot bank.c | dot -Tsvg > main.svg
  summa cfa --format json bank.c | jq '.functions[].name'")]
pub(crate) struct ShowCfa {
    /// Only this function
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// The function where the program starts
    #[arg(long, alias = "entry-function", value_name = "NAME")]
    pub(crate) entry: Option<String>,

    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// The program with cells instead of arrays, as engines get it to prove what arrays hold
    #[arg(long)]
    pub(crate) cells: bool,

    #[command(flatten)]
    pub(crate) source: Source,
}

/// List the engines, or print one
///
/// Each engine is a configuration: a file that says which algorithm runs over which domains. `--config` of `summa verify` and
/// `summa arg` takes a name from this list or a file of your own; begin with a copy of one of these.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples:
  summa configs                             one line for each
  summa configs predicate > mine.toml       a copy to change
  summa verify --config mine.toml bank.c
  summa verify --config mine.toml --explain-config")]
pub(crate) struct Configs {
    /// Print this one as it is
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// Show the abstract reachability graph that an engine builds
///
/// Runs the engine as `summa verify` does, and prints the abstract states that it reached, how one leads to another, and which
/// cover which; after a limit, as far as it got. For bmc and k-induction it is the unrolled program.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples:
  summa arg --config predicate bank.c                              as text
  summa arg --config value --format dot bank.c | dot -Tsvg > bank.svg
  summa arg --config impact --format json --time-limit 10 -o bank.json bank.c

What the run came to is said on standard error. Exit codes: 0 a graph was written, 5 there is none, 2 and 6 as for verify.")]
pub(crate) struct ShowArg {
    /// The engine: a name from `summa configs`, or a file (.toml)
    #[arg(short, long, value_name = "NAME|FILE.toml")]
    pub(crate) config: String,

    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,

    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) engine: EngineOptions,
}

/// Does a proof from a file hold for a program?
///
/// Proves every step of the proof again, with formulas and a solver of its own. No engine has a say, and nothing in the file is believed: a proof
/// of another program is refused unless it proves this one as well.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples:
  summa verify --proof bank.json bank.c && summa check-proof --proof bank.json bank.c

Exit codes: 0 confirmed, 5 not confirmed, 6 the file is no proof, otherwise as for verify.")]
pub(crate) struct CheckProof {
    /// The file with the proof, as written by `summa verify --proof`
    #[arg(long, value_name = "FILE.json")]
    pub(crate) proof: PathBuf,

    /// What is an error: a property file (.prp) or a name
    #[arg(short, long, visible_alias = "spec", value_name = "FILE.prp|NAME")]
    pub(crate) property: Option<String>,

    /// Stop after this time (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Print only the verdict
    #[arg(short, long)]
    pub(crate) quiet: bool,

    #[command(flatten)]
    pub(crate) input: Input,
}

/// Show what each function needs and does, as contracts
///
/// Runs an engine that summarises functions, and prints for every summary what it requires at the entry and what it ensures at the
/// return, in the syntax of ACSL, with the calls that relied on it. What has no C expression is a comment.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples:
  summa summaries bank.c
  summa summaries --config interval-bam-rec --only withdraw bank.c
  summa summaries --format json --time-limit 60 bank.c

Each contract is about one way in which the function is called; together they cover all calls of the program. A contract
marked as incomplete says what was found by the time limit: more may happen.
What the run came to is said on standard error. Exit codes: 0 contracts were written, 5 there are none, 2 and 6 as for verify.")]
pub(crate) struct ShowSummaries {
    /// The engine: a name from `summa configs`, or a file (.toml); it must have a section `bam`
    #[arg(short, long, value_name = "NAME|FILE.toml", default_value = "value+predicate-bam-rec")]
    pub(crate) config: String,

    /// Only the contracts of this function
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Option<String>,

    /// How to write them
    #[arg(long, value_enum, default_value_t = TextFormat::Text)]
    pub(crate) format: TextFormat,

    #[command(flatten)]
    pub(crate) engine: EngineOptions,
}

/// What commands that show something of one engine are told besides its name.
#[derive(Args, Debug)]
pub(crate) struct EngineOptions {
    /// Over which arithmetic formulas are written, instead of what the configuration says
    #[arg(long, value_enum, value_name = "ARITHMETIC")]
    pub(crate) encoding: Option<EncodingName>,

    /// What is an error: a property file (.prp) or a name
    #[arg(short, long, visible_alias = "spec", value_name = "FILE.prp|NAME")]
    pub(crate) property: Option<String>,

    /// Stop after this time and show what is there by then (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    #[command(flatten)]
    pub(crate) input: Input,
}

/// A program and where it starts.
#[derive(Args, Clone, Debug)]
pub(crate) struct Input {
    /// The function to start in
    #[arg(long, aliases = ["entry-function", "entry"], value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// Use at most this much memory (4GB, 500MB)
    #[arg(long, alias = "memlimit", value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,

    #[command(flatten)]
    pub(crate) source: Source,
}

/// A program and how to read it.
#[derive(Args, Clone, Debug)]
pub(crate) struct Source {
    /// C files (.c, or .i if preprocessed), linked into one program; or one task definition (.yml)
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Sizes of the C types: ILP32 or LP64; without it, from the task definition, else as on this machine
    #[arg(long, value_name = "MODEL", value_parser = parse_data_model, help_heading = "Reading C")]
    pub(crate) data_model: Option<DataModel>,

    /// Same as --data-model ILP32
    #[arg(long = "32", aliases = ["ILP32", "i386"], conflicts_with_all = ["data_model", "m64"], help_heading = "Reading C")]
    pub(crate) m32: bool,

    /// Same as --data-model LP64
    #[arg(long = "64", aliases = ["LP64", "x86_64"], conflicts_with = "data_model", help_heading = "Reading C")]
    pub(crate) m64: bool,

    /// Look for headers in this folder too
    #[arg(short = 'I', value_name = "DIR", help_heading = "Reading C")]
    pub(crate) include_dirs: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Reading C")]
    pub(crate) defines: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "Reading C")]
    pub(crate) undefines: Vec<String>,

    /// The C standard for the preprocessor (also -std=…)
    #[arg(long, value_name = "STANDARD", help_heading = "Reading C")]
    pub(crate) std: Option<String>,

    /// Read this file before each input (also -include)
    #[arg(long = "include", value_name = "FILE", help_heading = "Reading C")]
    pub(crate) include_files: Vec<PathBuf>,

    /// From a compilation database: each file with options of its own.
    #[arg(skip)]
    pub(crate) units: Vec<Unit>,
}

impl Source {
    /// The data model that the user asks for.
    pub(crate) fn chosen_model(&self) -> Option<DataModel> {
        match (self.m32, self.m64) {
            (true, _) => Some(DataModel::Ilp32),
            (_, true) => Some(DataModel::Lp64),
            _ => self.data_model,
        }
    }
}

/// How to say what was found.
#[derive(Args, Clone, Debug)]
pub(crate) struct Formats {
    /// What standard output is for
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT", help_heading = "Files about the verdict")]
    pub(crate) output_format: OutputFormat,

    /// Write the findings here as SARIF 2.1.0, for code hosts and editors
    #[arg(long, value_name = "FILE", help_heading = "Files about the verdict")]
    pub(crate) sarif: Option<PathBuf>,

    /// Write the events of the run here, one JSON object per line
    #[arg(long, value_name = "FILE", help_heading = "Files about the verdict")]
    pub(crate) json: Option<PathBuf>,

    /// Show every step of a counterexample, not only those that matter
    #[arg(long)]
    pub(crate) full_trace: bool,
}

/// What to write to files about the verdict.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Exports {
    /// Write a C file here that reaches the error when gcc compiles it with the program (see `summa help harness`)
    #[arg(long, value_name = "FILE.c", help_heading = "Files about the verdict")]
    pub(crate) harness: Option<PathBuf>,

    /// Write the inputs here as a test suite in the format of Test-Comp
    #[arg(long, value_name = "DIR", help_heading = "Files about the verdict")]
    pub(crate) test_suite: Option<PathBuf>,

    /// Write the proof of TRUE here, for `summa check-proof`
    #[arg(long, value_name = "FILE", help_heading = "Files about the verdict")]
    pub(crate) proof: Option<PathBuf>,

    /// Write a witness of the verdict here, for other verifiers to check
    #[arg(long, value_name = "FILE", help_heading = "Files about the verdict")]
    pub(crate) witness: Option<PathBuf>,

    /// The format of the witness; without it, GraphML for a file `*.graphml`, else YAML
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        requires = "witness",
        help_heading = "Files about the verdict"
    )]
    pub(crate) witness_format: Option<WitnessFormat>,

    /// Contracts of functions in the witness of TRUE, which then has format 2.1 (YAML only)
    #[arg(long, requires = "witness", help_heading = "Files about the verdict")]
    pub(crate) witness_contracts: bool,
}

impl Exports {
    /// Is anything asked for?
    pub(crate) fn any(&self) -> bool {
        self.harness.is_some() || self.test_suite.is_some() || self.proof.is_some() || self.witness.is_some()
    }
}

/// Check a witness, ours or that of another verifier
///
/// A violation witness is followed by an execution: its constraints give the inputs, all waypoints must be passed in their order,
/// and the target must violate the property. Of a correctness witness every invariant and contract is proved, and the program too.
/// Without --property, the property is the one that the witness names.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("witness", |arg| arg.help("The witness to check, in YAML or GraphML").required(true).help_heading("Options")))]
#[command(mut_arg("witness_format", |arg| arg.hide(true)))]
#[command(mut_arg("witness_contracts", |arg| arg.hide(true)))]
#[command(mut_arg("harness", |arg| arg.hide(true)))]
#[command(mut_arg("test_suite", |arg| arg.hide(true)))]
#[command(after_long_help = "Examples:
  summa verify --witness bank.yml bank.c; summa validate --witness bank.yml bank.c
  summa validate --witness other.graphml --property unreach-call.prp --32 task.i

Exit codes: 0 TRUE and 10 FALSE, if the witness is confirmed; 5 UNKNOWN, with the reason; 2 and 6 as for verify.")]
pub(crate) struct Validate {
    #[command(flatten)]
    pub(crate) verify: Verify,
}

/// Make a violation something that gcc can run
///
/// Verifies the program, with all options of `summa verify`. If the property is violated, writes a C file that defines the inputs
/// (__VERIFIER_nondet_int and the like) with their values in order, and prints the command that compiles it together with the
/// program. Reaching the error then prints "summa: error reached" and ends with exit code 107.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = "Examples:
  summa harness -o harness.c bank.c
  summa harness --property no-overflow --32 -o overflow.c bank.c
  summa harness --format test-comp -o test-suite bank.c

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

/// Turns the spellings of C compilers into ours, and `summa FILE.c` into `summa verify FILE.c`.
pub(crate) fn normalise(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut normal = Vec::new();
    let mut only_files = false;
    for (position, argument) in arguments.into_iter().enumerate() {
        let text = argument.to_str().unwrap_or("");
        let is_file =
            [".c", ".i", ".yml", ".yaml", "compile_commands.json"].iter().any(|end| text.ends_with(end))
                && !text.starts_with('-');
        if position == 1 && is_file {
            normal.push("verify".into());
        }
        only_files |= text == "--";
        let replacement = match text {
            _ if only_files || position == 0 => None,
            "-include" => Some("--include".to_owned()),
            "-m32" => Some("--32".to_owned()),
            "-m64" => Some("--64".to_owned()),
            _ => text.strip_prefix("-std=").map(|standard| format!("--std={standard}")),
        };
        normal.push(replacement.map_or(argument, OsString::from));
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn compiler_spellings_are_understood() {
        assert_eq!(
            normalise(words("summa verify -m32 -std=c11 -include a.h -- -m64.c")),
            words("summa verify --32 --std=c11 --include a.h -- -m64.c")
        );
        assert_eq!(normalise(words("summa a.c")), words("summa verify a.c"));
        assert_eq!(normalise(words("summa run a.c")), words("summa run a.c"));
    }

    #[test]
    fn inputs_are_numbers() {
        let line = words("summa run --inputs -3,0x10,1.5 a.c");
        let Command::Run(run) = Cli::try_parse_from(line).unwrap().command else { panic!("not a run") };
        assert_eq!(run.inputs.unwrap(), [InputValue::Int(-3), InputValue::Int(16), InputValue::Float(1.5)]);
        assert!(parse_input("x").is_err() && parse_input("").is_err());
    }
}
