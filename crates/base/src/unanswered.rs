//! Why a question has no answer: the run is over, or the question is too hard.
//!
//! Solvers, interpolators and the algorithms above them share this type, so that the reason reaches the user
//! unchanged.

use crate::budget::Exhausted;

/// No answer. It never counts as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unanswered {
    /// Time is up, or the run was interrupted.
    Exhausted(Exhausted),
    /// This question is too hard; another one may have an answer.
    GaveUp(String),
}

impl From<Exhausted> for Unanswered {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl std::fmt::Display for Unanswered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exhausted(exhausted) => write!(f, "{exhausted}"),
            Self::GaveUp(reason) => f.write_str(reason),
        }
    }
}
