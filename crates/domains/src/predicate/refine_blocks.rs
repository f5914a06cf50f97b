//! Refinement of predicates as the loop of block-abstraction memoization asks for it: the open blocks of the
//! path with the predicate states in them.

use super::{OpenFrame, PredicateState};
use crate::registry::{AnyPrecision, AnyState, Domain, Evidence};
use summa_bam::{Bam, BlockRefiner, ErrorPath, Frame};
use summa_cpa::{Product, Refinement, Stop};

#[derive(Debug)]
pub struct BlockPredicateRefiner {
    /// Which component of the product it is.
    pub component: usize,
}

impl<'a> BlockRefiner<Product<Domain<'a>>> for BlockPredicateRefiner {
    type Evidence = Evidence;

    /// Adds the predicates of tree interpolants.
    fn refine(
        &mut self,
        bam: &mut Bam<'_, Product<Domain<'a>>>,
        path: ErrorPath<'_>,
    ) -> Result<Refinement<Evidence>, Stop> {
        let (index, store) = (self.component, &bam.store);
        let state_of = |frame: &Frame| -> Option<PredicateState> {
            match store.summaries[frame.summary].reached.nodes[frame.at].state.get(index) {
                Some(AnyState::Predicate(state)) => Some(*state),
                _ => None,
            }
        };
        let open = |frame: &Frame| {
            let call = frame.next.and_then(|id| store.uses[id].call);
            Some(OpenFrame { state: state_of(frame)?, call })
        };
        let open: Vec<OpenFrame> = path.frames.iter().filter_map(open).collect();
        let mut precisions = bam.precision.to_vec();
        let (Domain::Predicate(domain), AnyPrecision::Predicate(precision)) =
            (&mut bam.cpa.components[index], &mut precisions[index])
        else {
            return Err(Stop::GaveUp("the configuration has no predicate domain".to_owned()));
        };
        if let Refinement::Feasible(found) = domain.refine_through_blocks(&open, precision)? {
            return Ok(Refinement::Feasible(Evidence::Model(found)));
        }
        if bam.set_precision(precisions.into()) {
            return Ok(Refinement::Refined);
        }
        Err(Stop::GaveUp("a path was found again that predicates had refuted".to_owned()))
    }
}
