//! Refinement through blocks, as the loop around the engine sees it.
//!
//! An error path is a chain of open blocks; what excludes it is found by a domain, and becomes a precision of
//! the program: [`Bam::set_precision`] drops the summaries for which that changes something.

use crate::engine::Bam;
use crate::reducer::Reducer;
use crate::trace::Frame;
use summa_cpa::{Move, Refinement, Stop};

/// A path to a target.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPath<'p> {
    /// The blocks that are open at the target, outermost first.
    pub frames: &'p [Frame],
    /// The whole path, written out.
    pub moves: &'p [Move],
}

/// The operator `refine` for paths through blocks.
pub trait BlockRefiner<C: Reducer> {
    /// What shows that a path may be feasible.
    type Evidence;

    /// Is it cheaper to ask this one than to ask a solver about the path?
    fn is_cheap(&self) -> bool {
        false
    }

    /// Changes the precision so that the path is not found again; or tells why it cannot.
    ///
    /// # Errors
    /// Nobody could tell, or nothing new excludes the path.
    fn refine(
        &mut self,
        bam: &mut Bam<'_, C>,
        path: ErrorPath<'_>,
    ) -> Result<Refinement<Self::Evidence>, Stop>;
}
