//! What Summa answers, and how scripts see it: the last line of standard output and the exit code.

use crate::diagnostics::place;
use std::fmt;
use std::process::ExitCode;
use summa_base::plain;
use summa_verify::Automata;

/// The answer to "does the property hold?", in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The property holds.
    True,
    /// The property is violated: the (sub-)property by its competition name, e.g. `valid-deref`.
    False(String),
    /// Not decided, and why.
    Unknown(String),
    /// Not decided because of a bug in Summa that it detected itself.
    Internal(String),
}

impl Verdict {
    /// In words, with the places of the source.
    pub(crate) fn of(verdict: &summa_verify::Verdict, automata: &Automata) -> Self {
        match verdict {
            summa_verify::Verdict::Safe(_) => Self::True,
            summa_verify::Verdict::Unsafe(violation) => Self::False(violation.property.clone()),
            summa_verify::Verdict::Unknown(reason) => {
                let at = reason.edge().map(|edge| place(&automata.sources, automata.cfa.edge(edge).span));
                let at = at.map(|at| format!(" at {at}"));
                Self::Unknown(format!("{reason}{}", at.unwrap_or_default()))
            }
            summa_verify::Verdict::Internal(bug) => Self::Internal(bug.to_string()),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::True => f.write_str("TRUE"),
            Self::False(property) => write!(f, "FALSE({property})"),
            Self::Unknown(reason) => write!(f, "UNKNOWN({})", one_line(reason)),
            Self::Internal(what) => write!(f, "UNKNOWN(internal error: {})", one_line(what)),
        }
    }
}

/// The reason as plain text on the line of the verdict.
fn one_line(reason: &str) -> String {
    let line = reason.replace(['\n', '\r'], " ");
    plain::lines(&line).into_owned()
}

/// How the process ends. The numbers are part of the interface: never change one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// TRUE; `summa run`: the program ended.
    Holds,
    /// FALSE; `summa run`: an error or fault was detected.
    Violated,
    /// UNKNOWN; `summa run`: stopped before the program ended.
    Unknown,
    /// The command line makes no sense.
    Usage,
    /// An input cannot be read, is not C, or needs what Summa does not support.
    BadInput,
    /// A bug in Summa.
    Internal,
    /// Something could not be written: a file that was asked for, or standard output.
    Unwritten,
}

impl Exit {
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Holds => 0,
            Self::Violated => 10,
            Self::Unknown => 5,
            Self::Usage => 2,
            Self::BadInput => 6,
            Self::Internal => 70,
            Self::Unwritten => 74,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

impl From<&Verdict> for Exit {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::True => Self::Holds,
            Verdict::False(_) => Self::Violated,
            Verdict::Unknown(_) => Self::Unknown,
            Verdict::Internal(_) => Self::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_is_one_line() {
        assert_eq!(Verdict::True.to_string(), "TRUE");
        assert_eq!(Verdict::False("valid-deref".into()).to_string(), "FALSE(valid-deref)");
        assert_eq!(Verdict::Unknown("two\nlines".into()).to_string(), "UNKNOWN(two lines)");
    }
}
