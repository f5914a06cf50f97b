//! What a caller can observe while a program is verified. A listener has no influence on what follows.

use crate::automata::Automata;
use crate::executions::{Doubtful, Search};
use crate::features::Features;
use crate::verdict::Reason;
use std::sync::Arc;
use std::time::Duration;
use summa_cfa::{BuildError, EdgeId};
use summa_engines::progress::Board;
use summa_engines::shared::Counts;

/// Receives what is done on the way to a verdict, in order, on the calling thread.
pub trait Listener {
    /// The automata are built, and nothing was tried yet. Not called again if other automata of the program
    /// follow.
    fn built(&self, _automata: &Automata) {}

    /// Other automata of the program could not be built, and were not tried.
    fn not_built(&self, _variant: Untried, _why: &BuildError) {}

    /// The one engine that was asked for is about to work.
    fn engine_begins(&self) {}

    /// Engines are about to work: the board says how far they are, to any thread and at any time.
    fn engines_begin(&self, _automata: &Automata, _board: &Arc<Board>) {}

    /// No engine decides the property: there are executions alone.
    fn no_engine(&self, _property: &str) {}

    /// The search among executions is over; what it found follows.
    fn executions_end(&self) {}

    /// Executions have found nothing.
    fn no_violation(&self, _searched: &Search) {}

    /// The program takes no inputs, and its only execution violates nothing; that may be no proof.
    fn no_violation_in_only_execution(&self) {}

    /// An execution violates the property, but supports no verdict.
    fn doubtful(&self, _automata: &Automata, _doubtful: &Doubtful, _searched: &Search) {}

    /// An execution reached a construct without support.
    fn unsupported(&self, _automata: &Automata, _what: &str, _edge: EdgeId) {}

    /// The verdict is known. What follows (making an execution simpler) takes time, but cannot take it back.
    fn answered(&self) {}

    /// The engines have ended.
    fn concluded(&self, _automata: &Automata, _conclusion: &Conclusion<'_>) {}
}

/// Ignores everything.
impl Listener for () {}

/// Other automata of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untried {
    /// Members of an object that an index may leave are taken for one.
    MembersMerged,
    /// Undefined left shifts are passed over.
    ShiftsPassed,
}

/// The results of the engines.
#[derive(Debug)]
pub struct Conclusion<'c> {
    pub ending: Ending<'c>,
    /// The engines that were tried, in order, if there was a plan.
    pub attempts: &'c [Attempted],
    /// The features for which the plan was made.
    pub features: Option<&'c Features>,
    /// What engines shared with each other.
    pub shared: Counts,
}

/// How engines ended.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'c> {
    /// With a confirmed proof, a replayed execution, or both, which contradict each other.
    Decided,
    /// With an execution that supports no verdict, for this reason.
    Doubtful(&'c str),
    Unknown(&'c Reason),
}

/// An engine that was tried.
#[derive(Clone, Debug)]
pub struct Attempted {
    /// The engine.
    pub name: String,
    /// Why it was tried, for people.
    pub why: &'static str,
    /// Counted work.
    pub time: Duration,
    pub result: AttemptResult,
}

#[derive(Clone, Debug)]
pub enum AttemptResult {
    Proved,
    Violated,
    Doubtful(String),
    Contradicted,
    Unknown(summa_engines::Reason),
}

impl Attempted {
    /// The bug in Summa that ended it, if one did.
    pub fn bug(&self) -> Option<String> {
        match &self.result {
            AttemptResult::Unknown(summa_engines::Reason::Bug(what)) => {
                Some(format!("{}: {what}", self.name))
            }
            AttemptResult::Unknown(_)
            | AttemptResult::Proved
            | AttemptResult::Violated
            | AttemptResult::Doubtful(_)
            | AttemptResult::Contradicted => None,
        }
    }
}
