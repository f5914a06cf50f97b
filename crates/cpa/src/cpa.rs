//! The operators of an analysis: D = (E, Π, ⇝, merge, stop, prec), and fcover for forced covering.
//!
//! Paper: Section 2.2 and 3.3. `stop` is asked for one reached state at a time (stop^sep is what all domains
//! here use); `merge` answers `None` where it keeps states apart (merge^sep).

use crate::moves::Move;
use crate::query::{Answer, Oracle, Query};
use crate::reached::{ArgId, Reached};
use std::fmt::Debug;
use summa_base::{Exhausted, Unanswered};
use summa_cfa::{EdgeId, NodeId};

/// Why an analysis ended without an answer. Never a proof, and the popped state is not lost: see `algorithm`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Time is up, or the run was interrupted.
    Exhausted(Exhausted),
    /// Something that this analysis does not understand, with the edge where it is.
    Unsupported { what: String, edge: Option<EdgeId> },
    /// The solver or an interpolator gave up.
    GaveUp(String),
}

impl Stop {
    pub fn unsupported(what: impl Into<String>, edge: EdgeId) -> Self {
        Self::Unsupported { what: what.into(), edge: Some(edge) }
    }
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Self {
        Self::Exhausted(exhausted)
    }
}

impl From<Unanswered> for Stop {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Exhausted(exhausted) => Self::Exhausted(exhausted),
            Unanswered::GaveUp(reason) => Self::GaveUp(reason),
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exhausted(exhausted) => write!(f, "{exhausted}"),
            Self::Unsupported { what, .. } => write!(f, "unsupported: {what}"),
            Self::GaveUp(reason) => f.write_str(reason),
        }
    }
}

/// Where a state was reached: by which move (none for an initial state), and whether some component took it
/// for a target.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    pub node: NodeId,
    pub by: Option<Move>,
    pub is_target: bool,
}

/// States with different keys are independent: neither merge nor stop is asked about them.
pub type Key = Vec<u32>;

/// A quick test that shows that one state does not cover another, or is not merged with it: see
/// [`Cpa::signature`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// How much a state says.
    pub size: u32,
    /// Equal for states that say the same.
    pub hash: u64,
    /// One bit for each thing that a state says, as in a Bloom filter.
    pub marks: u128,
    /// Equal for states that are merged.
    pub kept: u64,
}

impl Signature {
    /// May a state with this signature be covered by one with the other? That says a part of the same, or all
    /// of it.
    pub fn may_be_covered_by(self, reached: Self) -> bool {
        let is_part = reached.size < self.size || reached.size == self.size && reached.hash == self.hash;
        is_part && reached.marks & !self.marks == 0
    }

    /// The signature of a pair.
    pub fn and(self, other: Self) -> Self {
        Self {
            size: self.size.saturating_add(other.size),
            hash: pair(self.hash, other.hash),
            marks: self.marks | other.marks,
            kept: pair(self.kept, other.kept),
        }
    }
}

/// The hash of a pair.
fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(5).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ second
}

/// A state as it enters the reached set, with its precision.
pub type Adjusted<C> = (<C as Cpa>::State, <C as Cpa>::Precision);

pub trait Cpa {
    /// E. Small, or shared inside: states are cloned.
    type State: Clone + PartialEq + Debug;
    /// Π.
    type Precision: Clone + PartialEq + Debug;

    /// The state and precision with which an exploration that begins at `node` begins.
    fn initial(&mut self, node: NodeId) -> (Self::State, Self::Precision);

    /// The moves that leave a state, in order. Domains without control say nothing.
    fn moves(&self, _state: &Self::State, _moves: &mut Vec<Move>) {}

    /// e ⇝ (e', π): the successors along a move.
    fn transfer(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        by: Move,
    ) -> Result<Vec<Self::State>, Stop>;

    /// The same in a product, whose other components can be asked about the state before the move.
    fn transfer_asking(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        by: Move,
        _others: &dyn Oracle,
    ) -> Result<Vec<Self::State>, Stop> {
        self.transfer(state, precision, by)
    }

    /// What a state knows when another component asks. Only what holds in all that the state describes.
    fn answer(&self, _state: &Self::State, _query: Query) -> Answer {
        Answer::Unknown
    }

    /// merge(e, e'', π): what replaces the reached state e''; None keeps both.
    fn merge(
        &mut self,
        state: &Self::State,
        reached: &Self::State,
        precision: &Self::Precision,
        at: &Arrival,
    ) -> Result<Option<Self::State>, Stop>;

    /// Is `merge` merge^sep, `None` for all states? Then it need not be asked.
    fn never_merges(&self) -> bool {
        false
    }

    /// Is the state covered by this reached one?
    fn stop(
        &mut self,
        state: &Self::State,
        reached: &Self::State,
        precision: &Self::Precision,
    ) -> Result<bool, Stop>;

    /// prec(e, π): the state as it enters the reached set, with its precision; None if it turns out to be
    /// empty.
    fn prec(
        &mut self,
        state: Self::State,
        precision: &Self::Precision,
        at: &Arrival,
    ) -> Result<Option<Adjusted<Self>>, Stop>;

    /// fcover(reached, e, π): tries to strengthen e so that a reached state covers it; true if it is covered
    /// now.
    fn fcover(&mut self, _reached: &mut Reached<Self>, _state: ArgId) -> Result<bool, Stop>
    where
        Self: Sized,
    {
        Ok(false)
    }

    /// Is the state one that must not be reached?
    fn is_target(&self, _state: &Self::State) -> bool {
        false
    }

    /// Appends what distinguishes states permanently.
    fn key(&self, _state: &Self::State, _key: &mut Key) {}

    /// A summary that rules out coverage: `stop` holds for a state and a reached one only if
    /// [`Signature::may_be_covered_by`] does; and merging: `merge` is `None` if their [`Signature::kept`]
    /// differ. With the default, nothing is ruled out.
    fn signature(&self, _state: &Self::State) -> Signature {
        Signature::default()
    }

    /// The state in one line, for people and tests; empty if there is nothing to say.
    fn show(&self, state: &Self::State) -> String;
}
