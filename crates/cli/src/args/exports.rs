//! Options for the form of the answer, and for the files that are written about it.

use super::{OutputFormat, WitnessFormat};
use clap::Args;
use std::path::PathBuf;

/// The formats of the answer.
#[derive(Args, Clone, Debug)]
pub(crate) struct Formats {
    /// What standard output is for
    #[arg(long, value_enum, default_value_t = OutputFormat::Text, value_name = "FORMAT")]
    #[arg(help_heading = "Files about the verdict")]
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
    /// Write a C file here that reaches the error when gcc compiles it with the program (see `summa help
    /// harness`)
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
