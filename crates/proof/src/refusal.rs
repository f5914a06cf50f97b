//! Why a proof is not confirmed.

use std::fmt;
use summa_base::Exhausted;
use summa_cfa::{Cfa, EdgeId, NodeId};

/// What had to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obligation {
    /// A formula holds when control comes to its place for the first time.
    Initiation,
    /// It holds when control comes from another such place.
    Consecution,
    /// No error is reached.
    Safety,
    /// No construct is reached that is not understood.
    Support,
    /// A contract applies where the function is called.
    Requires,
    /// It is kept where the function returns.
    Ensures,
    /// No execution gets to the end of the unrolling.
    Bound,
}

/// Why a proof is not confirmed. None of these reasons means that the program has an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A step of the proof does not hold.
    Wrong {
        step: Obligation,
        at: NodeId,
        edge: Option<EdgeId>,
    },
    /// The solver has no answer about a step.
    GaveUp {
        step: Obligation,
        at: NodeId,
        reason: String,
    },
    Exhausted(Exhausted),
    /// Path formulas cannot follow the program here.
    Unsupported {
        edge: EdgeId,
        reason: &'static str,
    },
    /// It would take too many steps.
    TooLarge(&'static str),
    /// It is no proof about this program.
    Malformed(String),
    /// The solver does not start.
    NoSolver,
    /// The second solver has a model of what has none for the first.
    Disagreement,
    /// The second solver gives no answer that is one.
    SecondSolver(String),
}

impl Refusal {
    /// Does it mean that the proof is wrong, rather than that it could not be checked?
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong { .. } | Self::Malformed(_))
    }

    /// The location that it is about.
    pub fn node(&self, cfa: &Cfa) -> Option<NodeId> {
        match self {
            Self::Wrong { at, .. } | Self::GaveUp { at, .. } => Some(*at),
            Self::Unsupported { edge, .. } => Some(cfa.edge(*edge).from),
            Self::Exhausted(_)
            | Self::TooLarge(_)
            | Self::Malformed(_)
            | Self::NoSolver
            | Self::Disagreement
            | Self::SecondSolver(_) => None,
        }
    }

    /// The edge that it is about.
    pub fn edge(&self) -> Option<EdgeId> {
        match self {
            Self::Wrong { edge, .. } => *edge,
            Self::Unsupported { edge, .. } => Some(*edge),
            _ => None,
        }
    }
}

impl From<Exhausted> for Refusal {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Initiation => "a formula does not hold when its place is reached first",
            Self::Consecution => "a formula does not follow from those before it",
            Self::Safety => "an error is not excluded",
            Self::Support => "a construct that is not understood is not excluded",
            Self::Requires => "no contract applies to a call",
            Self::Ensures => "a contract is not kept",
            Self::Bound => "executions go on behind the bound",
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong { step, at, .. } => write!(f, "{step} (at {at})"),
            Self::GaveUp { step, at, reason } => write!(f, "perhaps {step} (at {at}): {reason}"),
            Self::Exhausted(exhausted) => write!(f, "{exhausted}"),
            Self::Unsupported { reason, .. } => write!(f, "path formulas cannot follow: {reason}"),
            Self::TooLarge(what) => write!(f, "too large: {what}"),
            Self::Malformed(what) => write!(f, "it is no proof about this program: {what}"),
            Self::NoSolver => f.write_str("the solver does not start"),
            Self::Disagreement => {
                f.write_str("the second solver disagrees: it has a model of what should have none")
            }
            Self::SecondSolver(why) => write!(f, "the second solver fails: {why}"),
        }
    }
}
