//! Options of the commands that show what Summa sees of a program: automata, configurations, graphs of
//! abstract states, contracts.

use super::{EncodingName, Format, Input, Source, TextFormat, parse_duration, parse_size};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// Show the control-flow automata of a program
///
/// One automaton per function: locations as nodes, operations as edges.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa cfa examples/withdraw.c                       # all functions as text
  summa cfa --function main --format dot examples/lock.c | dot -Tsvg > main.svg
  summa cfa --format json examples/withdraw.c | jq '.functions[].name'")]
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

    /// Stop after this time (60, 60s, 15min)
    #[arg(long, aliases = ["timelimit", "timeout"], value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Use at most this much memory (4GB, 500MB)
    #[arg(long, alias = "memlimit", value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,

    #[command(flatten)]
    pub(crate) source: Source,
}

/// List the engines, or print one
///
/// Each engine is a configuration: a file that says which algorithm runs over which domains. `--config` of
/// `summa verify` and `summa arg` takes a name from this list or a file of your own; begin with a copy of one
/// of these.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa configs                             # one line for each
  summa configs predicate > mine.toml       # a copy to change
  summa verify --config mine.toml examples/lock.c
  summa verify --config mine.toml --explain-config")]
pub(crate) struct Configs {
    /// Print this one as it is
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

/// Show the abstract reachability graph that an engine builds
///
/// Runs the engine as `summa verify` does, and prints the abstract states that it reached, how one leads to
/// another, and which cover which; after a limit, as far as it got. For bmc and k-induction it is the
/// unrolled program.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa arg --config predicate examples/lock.c                     # as text
  summa arg --config predicate --format dot examples/lock.c | dot -Tsvg > lock.svg
  summa arg --config impact --format json --time-limit 10 -o lock.json examples/lock.c

What the run came to is said on standard error. Exit codes: 0 a graph was written, 5 there is none,
2 and 6 as for verify.")]
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

/// Show what each function needs and does, as contracts
///
/// Runs an engine that summarises functions, and prints for every summary what it requires at the entry and
/// what it ensures at the return, in the syntax of ACSL, with the calls that relied on it. What has no C
/// expression is a comment.
#[derive(Args, Debug)]
#[command(after_long_help = "Examples, with programs that come with Summa:
  summa summaries examples/sum.c
  summa summaries --config interval-bam-rec --only withdraw examples/withdraw.c
  summa summaries --format json --time-limit 60 examples/sum.c

Each contract is about one way in which the function is called; together they cover all calls of the
program. A contract marked as incomplete says what was found by the time limit: more may happen.
What the run came to is said on standard error. Exit codes: 0 contracts were written, 5 there are
none, 2 and 6 as for verify.")]
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

/// Options of the commands that show something of one engine, besides its name.
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

    /// Stop after this much work, counted in steps and questions: the same in every run, on a busy machine
    /// too
    ///
    /// The unit is about a second of an ordinary machine (60, 60s, 15min).
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) work_limit: Option<Duration>,

    #[command(flatten)]
    pub(crate) input: Input,
}
