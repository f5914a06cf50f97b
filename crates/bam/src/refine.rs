//! Refinement through blocks, as the loop around the engine sees it.
//!
//! An error path is a chain of open blocks. A domain finds what excludes it, which becomes a precision of the
//! program: [`Bam::set_precision`] drops the summaries for which that changes something.

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
    /// Evidence that a path may be feasible.
    type Evidence;

    /// Is it cheaper to ask this refiner than to ask a solver about the path?
    fn is_cheap(&self) -> bool {
        false
    }

    /// Changes the precision so that the path is not found again, or returns why it cannot.
    ///
    /// # Errors
    /// There is no answer, or nothing new excludes the path.
    fn refine(
        &mut self,
        bam: &mut Bam<'_, C>,
        path: ErrorPath<'_>,
    ) -> Result<Refinement<Self::Evidence>, Stop>;
}
