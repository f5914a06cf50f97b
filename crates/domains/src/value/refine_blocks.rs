//! Value refinement through blocks: the flattened path shows which cells to follow.

use super::{Scope, Value};
use crate::registry::{AnyPrecision, Domain, Evidence};
use summa_bam::{Bam, BlockRefiner, ErrorPath};
use summa_cpa::{Product, Refinement, Stop};

/// After more refinements than this, all values are followed that are few: a program that needs so many needs
/// most of them, and each refinement explores it anew.
const FEW_REFINEMENTS: u32 = 10;

pub struct BlockValueRefiner {
    /// Which component of the product it is.
    component: usize,
    /// How often values were refined, if that decides when all of them are followed.
    refinements: Option<u32>,
}

impl BlockValueRefiner {
    /// With `grows`, all values are followed after some refinements.
    pub fn new(component: usize, grows: bool) -> Self {
        Self { component, refinements: grows.then_some(0) }
    }

    /// All values are followed from now on, if it is time for that.
    fn is_enough(&mut self) -> bool {
        let Some(count) = &mut self.refinements else { return false };
        *count += 1;
        *count > FEW_REFINEMENTS
    }
}

impl<'a> BlockRefiner<Product<Domain<'a>>> for BlockValueRefiner {
    type Evidence = Evidence;

    /// Executing the path costs less than a formula.
    fn is_cheap(&self) -> bool {
        true
    }

    fn refine(
        &mut self,
        bam: &mut Bam<'_, Product<Domain<'a>>>,
        path: ErrorPath<'_>,
    ) -> Result<Refinement<Evidence>, Stop> {
        let unrefuted = || Ok(Refinement::Feasible(Evidence::Path(path.moves.to_vec())));
        let mut precisions = bam.precision.to_vec();
        let (Domain::Value(domain), AnyPrecision::Value(precision)) =
            (&mut bam.cpa.components[self.component], &mut precisions[self.component])
        else {
            return unrefuted();
        };
        let initial = Value::unknown(domain);
        let Some((_, reason)) = domain.semantics.refute(&initial, path.moves).into_iter().next() else {
            return unrefuted();
        };
        let cells: Vec<_> = reason.cells().iter().collect();
        // The scope of the program: blocks that do not use a cell still keep their summaries.
        precision.add(Scope::Program, domain.semantics.cfa.entry(), &cells);
        if self.is_enough() {
            precision.follow_all();
        }
        if bam.set_precision(precisions.into()) { Ok(Refinement::Refined) } else { unrefuted() }
    }
}
