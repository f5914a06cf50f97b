//! Why a program could not be verified at all.

use std::fmt;
use summa_c::{LoadFailure, Severity};
use summa_cfa::BuildError;

/// Why a program could not be verified at all.
#[derive(Debug)]
pub enum Error {
    /// The program is no C, or cannot be read. The diagnostics say where.
    Unreadable(LoadFailure),
    /// The program has no function to start in.
    Build(BuildError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(failure) => {
                let mut errors = failure.diagnostics.iter().filter(|one| one.severity == Severity::Error);
                match errors.next() {
                    Some(error) => {
                        let at = failure.sources.locate(error.span);
                        write!(f, "{}:{}: {}", at.file, at.line, error.message)
                    }
                    None => f.write_str("the program cannot be read"),
                }
            }
            Self::Build(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<LoadFailure> for Error {
    fn from(failure: LoadFailure) -> Self {
        Self::Unreadable(failure)
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Self {
        Self::Build(error)
    }
}
