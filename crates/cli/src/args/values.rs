//! Values of options: names of formats, durations, sizes.

use clap::ValueEnum;
use std::time::Duration;
use summa_c::types::DataModel;
use summa_interp::InputValue;

/// What objects with static storage hold when the entry function is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Globals {
    /// Their initial values
    #[default]
    Initial,
    /// Any values, except for constants: other code has run before
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// For reading
    Text,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncodingName {
    /// As the program needs: integers, or bit-vectors if bits matter; the other one if that fails
    Auto,
    /// Mathematical integers, with wrap-around as case splits
    Int,
    /// Bit by bit
    Bitvector,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line per edge, for reading
    Text,
    /// For Graphviz
    Dot,
    /// For programs
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// For people; the last line is the verdict
    Text,
    /// One JSON object per event; the last one is `end` with the verdict. The verdict line goes to standard
    /// error
    Json,
    /// One SARIF 2.1.0 document. The verdict line goes to standard error
    Sarif,
    /// As text, with annotations for GitHub's pages before the verdict
    Github,
}

impl OutputFormat {
    /// Is standard output for programs alone?
    pub(crate) fn is_for_programs(self) -> bool {
        matches!(self, Self::Json | Self::Sarif)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WitnessFormat {
    /// Format 2.0: a list of waypoints or invariants
    Yaml,
    /// Format 1.0: an automaton
    Graphml,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HarnessFormat {
    /// A C file for gcc
    Gcc,
    /// A test suite in the format of Test-Comp: metadata.xml and testcase-1.xml
    TestComp,
}

pub(crate) fn parse_data_model(text: &str) -> Result<DataModel, String> {
    match text.to_ascii_uppercase().as_str() {
        "ILP32" | "32" | "32BIT" => Ok(DataModel::Ilp32),
        "LP64" | "64" | "64BIT" => Ok(DataModel::Lp64),
        _ => Err("ILP32 and LP64 are known".to_owned()),
    }
}

/// Seconds, or a number with a unit.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text);
    let factor = match unit {
        "" | "s" | "sec" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: ms, s, min and h are")),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    Duration::try_from_secs_f64(number * factor).map_err(|error| error.to_string())
}

/// Bytes; without a unit, megabytes.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text);
    let shift = match unit.to_ascii_lowercase().as_str() {
        "" | "m" | "mb" | "mib" => 20,
        "g" | "gb" | "gib" => 30,
        "k" | "kb" | "kib" => 10,
        _ => return Err(format!("`{unit}` is not a unit of memory: KB, MB and GB are")),
    };
    let number: u64 = number.parse().map_err(|_| format!("`{number}` is not a number"))?;
    number.checked_mul(1 << shift).filter(|&bytes| bytes > 0).ok_or_else(|| "not a sensible size".to_owned())
}

fn split_unit(text: &str) -> (&str, &str) {
    let digits = text.trim().find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.trim().len());
    let (number, unit) = text.trim().split_at(digits);
    (number, unit.trim())
}

/// At least one.
pub(super) fn parse_jobs(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&jobs| jobs > 0).ok_or_else(|| format!("`{text}` is not a number of engines"))
}

pub(super) fn parse_input(text: &str) -> Result<InputValue, String> {
    InputValue::parse(text).ok_or_else(|| format!("`{text}` is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_units() {
        assert_eq!(parse_duration("15min"), Ok(Duration::from_secs(900)));
        assert_eq!(parse_duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_size("4GB"), Ok(4 << 30));
        assert_eq!(parse_size("500"), Ok(500 << 20));
        assert!(
            parse_duration("5 parsecs").is_err() && parse_duration("").is_err() && parse_size("0").is_err()
        );
    }
}
