//! What every engine gets, and what it answers.
//!
//! An engine decides nothing. `Claimed` means that it explored everything and found no error: a [`Claim`],
//! whose proof is worth nothing until it is checked. `Error` means that the replay confirmed an execution.
//! All other answers are `Unknown` with a reason, together with what is known so far.

use crate::contents::Contents;
use crate::progress::{Board, Progress};
use crate::proof::Written;
use crate::saved::Archive;
use crate::shared::Shared;
use crate::stats::Stats;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use summa_base::{Budget, Exhausted, Unanswered};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_cpa::Stop;
use summa_encode::{Encoder, Encoding, Input};
use summa_facts::Analyses;
use summa_logic::Workbench;
use summa_smt::SecondSolver;

/// One question to the solver takes at most this, unless the task says otherwise.
const QUERY_TIME: Duration = Duration::from_secs(120);

/// The task of an engine: what to search for, and for how long.
#[derive(Clone)]
pub struct Task<'t> {
    pub cfa: &'t Cfa,
    pub facts: &'t Analyses,
    /// Which error edges count; asked about error edges only.
    pub is_error: &'t (dyn Fn(EdgeId) -> bool + Sync),
    /// How formulas are written. A configuration that chooses for itself replaces it.
    pub encoding: Encoding,
    pub budget: Budget,
    /// The budget of the whole run, of which `budget` may be a part. Checking a proof that was found in time
    /// may use more of it.
    pub whole: Budget,
    /// Time for one question to the solver.
    pub query_timeout: Duration,
    /// Where the engine says how far it is; others may look at any time.
    pub board: Arc<Board>,
    /// The results of other engines about this program.
    pub shared: Arc<Shared>,
    /// Operators are counted and timed.
    pub measure: bool,
    /// The storage for summaries of this and other runs.
    pub archive: Option<&'t dyn Archive>,
    /// Contracts of functions are wanted, from engines that summarise them.
    pub contracts: bool,
    /// A second solver that is asked when proofs are checked.
    pub second_solver: Option<SecondSolver>,
}

impl<'t> Task<'t> {
    pub fn new(
        cfa: &'t Cfa,
        facts: &'t Analyses,
        budget: Budget,
        is_error: &'t (dyn Fn(EdgeId) -> bool + Sync),
    ) -> Self {
        let board = Arc::new(Board::new(cfa, &facts.loops));
        let encoding = Encoding::BitVector;
        Self {
            cfa,
            facts,
            is_error,
            encoding,
            whole: budget.clone(),
            budget,
            query_timeout: QUERY_TIME,
            board,
            shared: Arc::default(),
            measure: false,
            archive: None,
            contracts: false,
            second_solver: None,
        }
    }

    /// The same question with formulas written in this way.
    pub fn in_encoding(&self, encoding: Encoding) -> Self {
        Self { encoding, ..self.clone() }
    }

    /// The edges that violate the property, among all.
    pub fn violations(&self) -> Box<dyn Fn(EdgeId) -> bool + 't> {
        let (cfa, is_error) = (self.cfa, self.is_error);
        Box::new(move |edge| matches!(cfa.edges[edge].op, Op::Error { .. }) && is_error(edge))
    }

    /// A workbench for formulas in the encoding of the task; with copies of the values at entries where
    /// functions are summarised.
    pub fn workbench(&self, with_copies: bool) -> Result<Workbench<'t>, Unanswered> {
        let encoder = Encoder::new(self.cfa, self.facts, self.encoding);
        let encoder = if with_copies { encoder.with_entry_copies() } else { encoder };
        let mut logic = Workbench::new(encoder, &self.budget)?;
        logic.solver.query_time = self.query_timeout;
        Ok(logic)
    }
}

/// Asked about inputs with which the program should violate the property: does it?
pub type Replay<'r> = dyn FnMut(&[Choice]) -> bool + 'r;

/// A value chosen by the solver for something that the program does not determine.
#[derive(Clone, Debug)]
pub struct Choice {
    pub input: Input,
    /// The value; None for pointers, whose numbers mean nothing outside.
    pub value: Option<summa_term::Value>,
}

/// What an engine claims: that no error is reachable. There is no verdict in it; `summa_proof` checks the
/// proof.
#[derive(Debug)]
pub struct Claim {
    /// The proof, or why it cannot be written down.
    pub proof: Written,
    /// Its contracts, where an archive knows some of them or is to know them.
    pub contents: Contents,
}

impl From<Written> for Claim {
    fn from(proof: Written) -> Self {
        Self { proof, contents: Contents::default() }
    }
}

/// Everything was explored, and no error is there; the proof is still to be written.
#[derive(Clone, Copy, Debug)]
pub struct Explored;

/// What an engine answers; inside of one, `C` is [`Explored`].
#[derive(Debug)]
pub enum Outcome<C = Claim> {
    /// No error is reachable, says the engine.
    Claimed(C),
    /// An execution that violates the property, confirmed by a replay. It is given by the values that the
    /// program does not determine, in order.
    Error {
        edge: EdgeId,
        inputs: Vec<Choice>,
    },
    Unknown {
        reason: Reason,
    },
}

/// The end of an algorithm.
pub(crate) type Ending = Outcome<Explored>;

impl<C> Outcome<C> {
    pub fn unknown(reason: impl Into<Reason>) -> Self {
        Self::Unknown { reason: reason.into() }
    }
}

impl Ending {
    /// The answer, with the proof of what is claimed.
    pub(crate) fn with_proof(self, claim: impl FnOnce() -> Claim) -> Outcome {
        match self {
            Self::Claimed(Explored) => Outcome::Claimed(claim()),
            Self::Error { edge, inputs } => Outcome::Error { edge, inputs },
            Self::Unknown { reason } => Outcome::Unknown { reason },
        }
    }
}

/// Why an engine does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Exhausted(Exhausted),
    /// A construct that may be reached and is not understood.
    Unsupported {
        what: String,
        edge: Option<EdgeId>,
    },
    /// A path to an error has a model that does not replay: `what` is not said exactly by the formulas.
    Inexact {
        what: String,
        edge: Option<EdgeId>,
    },
    /// The analysis cannot exclude this error, nor show that it happens.
    Imprecise {
        edge: EdgeId,
    },
    GaveUp(String),
    /// A bug in Summa that it detected itself.
    Bug(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted(exhausted) => write!(f, "{exhausted}"),
            Self::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Self::Inexact { what, .. } => write!(f, "a counterexample did not replay: {what} is not exact"),
            Self::Imprecise { .. } => f.write_str("the analysis is not precise enough to exclude an error"),
            Self::GaveUp(reason) | Self::Bug(reason) => f.write_str(reason),
        }
    }
}

impl Reason {
    /// The edge that it is about.
    pub fn edge(&self) -> Option<EdgeId> {
        match self {
            Self::Unsupported { edge, .. } | Self::Inexact { edge, .. } => *edge,
            Self::Imprecise { edge } => Some(*edge),
            Self::Exhausted(_) | Self::GaveUp(_) | Self::Bug(_) => None,
        }
    }
}

impl From<Exhausted> for Reason {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl From<Unanswered> for Reason {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Exhausted(exhausted) => Self::Exhausted(exhausted),
            Unanswered::GaveUp(reason) => Self::GaveUp(reason),
        }
    }
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Exhausted(exhausted) => Self::Exhausted(exhausted),
            Stop::Unsupported { what, edge } => Self::Unsupported { what, edge },
            Stop::GaveUp(reason) => Self::GaveUp(reason),
        }
    }
}

/// The answer of an engine with everything around it.
pub struct Report<'t> {
    pub outcome: Outcome,
    pub progress: Progress,
    pub stats: Stats,
    /// The abstract reachability graph, if the engine builds one: also after a limit.
    pub graph: Option<crate::graph::Graph<'t>>,
    /// The contracts of functions, if the engine summarises them; also after a limit.
    pub contracts: Vec<crate::contracts::Contract>,
}

impl Report<'_> {
    /// The answer of an engine that builds no graph.
    pub fn new(outcome: Outcome, task: &Task<'_>) -> Self {
        Self {
            outcome,
            progress: task.board.progress(),
            stats: Stats::default(),
            graph: None,
            contracts: Vec::new(),
        }
    }
}
