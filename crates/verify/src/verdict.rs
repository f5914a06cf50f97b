//! The answers of Summa: a confirmed proof, a replayed execution, or the reason why there is neither.

use crate::confirm::ConfirmedProof;
use crate::executions::ReplayedViolation;
use std::fmt;
use summa_cfa::EdgeId;

/// The answer to "does the program have the property?".
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Yes: this proof was confirmed.
    Safe(Box<ConfirmedProof>),
    /// No: this execution violates it, and did so again when it was replayed.
    Unsafe(Box<ReplayedViolation>),
    /// Not decided, and why.
    Unknown(Reason),
    /// Not decided because of a bug in Summa that it detected itself.
    Internal(Bug),
}

impl Verdict {
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The time limit of the run was reached.
    Time,
    /// The work limit of the run was reached, in counted units.
    Work,
    Memory,
    Interrupted,
    /// There is a violation that supports no verdict, for this reason.
    Doubtful(String),
    /// What an engine or an execution met.
    Engine(summa_engines::Reason),
    /// No engine decides this property.
    NoEngine(String),
    UnsupportedProperty(String),
    Other(String),
}

impl Reason {
    /// The edge that it is about.
    pub fn edge(&self) -> Option<EdgeId> {
        match self {
            Self::Engine(reason) => reason.edge(),
            Self::Time
            | Self::Work
            | Self::Memory
            | Self::Interrupted
            | Self::Doubtful(_)
            | Self::NoEngine(_)
            | Self::UnsupportedProperty(_)
            | Self::Other(_) => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time => f.write_str("time limit"),
            Self::Work => f.write_str("work limit"),
            Self::Memory => f.write_str("memory limit"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Doubtful(why) => write!(f, "possible violation, but {why}"),
            Self::Engine(reason) => write!(f, "{reason}"),
            Self::NoEngine(property) => write!(f, "no engine for {property}"),
            Self::UnsupportedProperty(name) => write!(f, "unsupported property: {name}"),
            Self::Other(why) => f.write_str(why),
        }
    }
}

impl From<summa_engines::Reason> for Reason {
    fn from(reason: summa_engines::Reason) -> Self {
        Self::Engine(reason)
    }
}

/// A bug in Summa that it detected itself.
#[derive(Clone, Debug)]
pub enum Bug {
    /// A bug in words.
    Noticed(String),
    Contradiction(Box<Contradiction>),
}

/// A confirmed proof, and an execution that violates what it proves. One of them is wrong; both are kept, so
/// that the bug can be found.
#[derive(Clone, Debug)]
pub struct Contradiction {
    /// Who found the proof.
    pub engine: String,
    pub proof: ConfirmedProof,
    pub violation: ReplayedViolation,
}

impl fmt::Display for Bug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Noticed(what) => f.write_str(what),
            Self::Contradiction(both) => write!(f, "an execution contradicts the proof of {}", both.engine),
        }
    }
}
