//! From a configuration to an analysis: the product of its domains, and the refiners that belong to them.
//!
//! The registry of domains makes each component from its settings; here is what a domain needs of the engine
//! for that. A refiner of one domain answers for the whole product; several are asked in the order of the
//! configuration, and the first that excludes the path has refined.

use crate::config::{BamConfig, Config, InvariantSource};
use crate::invariants::{of_loop_heads, with_lemmas};
use crate::progress::Board;
use crate::task::{Reason, Task};
use std::sync::Arc;
use summa_cfa::EdgeId;
use summa_cpa::{ArgId, Product, Reached, Refinement, Refiner, Stop};
use summa_domains::Domain;
use summa_domains::reductions::reduction;
use summa_domains::registry::{
    DomainBlockRefiner, DomainRefiner, Evidence, Made, Setup, Summarised, Surroundings,
};
use summa_logic::{Invariants, Workbench};

/// An analysis that is ready to run.
pub struct Assembly<'t> {
    pub product: Product<Domain<'t>>,
    pub refiners: Vec<DomainRefiner<'t>>,
    /// Those for paths through blocks.
    pub block_refiners: Vec<DomainBlockRefiner<'t>>,
}

/// The product and the refiners of a configuration.
pub fn assemble<'t>(config: &Config, task: &Task<'t>) -> Result<Assembly<'t>, Reason> {
    let surroundings = Engine { task, is_summarised: config.bam.is_some() };
    let summaries = config.bam.as_ref().map(|bam| Summarised {
        // Without recursion a summary is for one call stack.
        keeps_stack: !bam.recursion,
        inline: inlined(bam, task),
    });
    let mut product = Product::new(Vec::new());
    let (mut refiners, mut block_refiners) = (Vec::new(), Vec::new());
    for (index, chosen) in config.domains.iter().enumerate() {
        let setup = Setup { cfa: task.cfa, facts: task.facts, index, summaries, surroundings: &surroundings };
        let Made { domain, refiners: own } = chosen.make(&setup)?;
        product.components.push(domain);
        refiners.extend(own.paths);
        block_refiners.extend(own.blocks);
    }
    // A configuration has both domains of its reductions.
    let reductions = config.reductions.iter().filter_map(|named| reduction(named, &product.components));
    product.reductions = reductions.collect();
    Ok(Assembly { product, refiners, block_refiners })
}

/// Which functions are not summarised.
pub(crate) fn inlined(bam: &BamConfig, task: &Task<'_>) -> u32 {
    if shows_summaries(task) { 0 } else { bam.inline }
}

/// Invariants come from unrolling, which has no end if functions recur. That costs more than it gains.
fn recurs(task: &Task<'_>) -> bool {
    let calls = &task.facts.calls;
    calls.recursive.iter().any(|function| calls.reachable.contains(function))
}

/// Summaries that are shown or stored cover all functions and stand alone: they use no invariants that hold
/// only in this program.
fn shows_summaries(task: &Task<'_>) -> bool {
    task.contracts || task.archive.is_some()
}

/// What domains need of the engine when they are made.
struct Engine<'e, 't> {
    task: &'e Task<'t>,
    is_summarised: bool,
}

impl<'t> Surroundings<'t> for Engine<'_, 't> {
    fn violations(&self) -> Box<dyn Fn(EdgeId) -> bool + 't> {
        self.task.violations()
    }

    fn workbench(&self, with_copies: bool) -> Result<Workbench<'t>, Stop> {
        Ok(self.task.workbench(with_copies)?)
    }

    fn invariants(
        &self,
        source: InvariantSource,
        mut logic: Workbench<'t>,
    ) -> Result<(Workbench<'t>, Invariants), Stop> {
        let task = self.task;
        if self.is_summarised && (shows_summaries(task) || recurs(task)) {
            return Ok((logic, Invariants::default()));
        }
        task.board.set_phase("invariants of loop heads");
        match source {
            InvariantSource::None => Ok((logic, Invariants::default())),
            InvariantSource::Interval => {
                let invariants = of_loop_heads(task, &mut logic).map_err(as_stop)?;
                Ok((logic, invariants))
            }
            InvariantSource::Lemmas => with_lemmas(task, logic).map_err(as_stop),
        }
    }
}

/// Why there are no invariants, in the words of an analysis.
fn as_stop(reason: Reason) -> Stop {
    match reason {
        Reason::Exhausted(exhausted) => Stop::Exhausted(exhausted),
        Reason::Unsupported { what, edge } => Stop::Unsupported { what, edge },
        Reason::GaveUp(what) | Reason::Bug(what) => Stop::GaveUp(what),
        reason @ (Reason::Inexact { .. } | Reason::Imprecise { .. }) => Stop::GaveUp(reason.to_string()),
    }
}

/// Several refiners as one.
pub struct Refiners<'t> {
    refiners: Vec<DomainRefiner<'t>>,
    board: Arc<Board>,
}

impl<'t> Refiners<'t> {
    pub fn new(task: &Task<'t>, refiners: Vec<DomainRefiner<'t>>) -> Self {
        Self { refiners, board: task.board.clone() }
    }
}

impl<'t> Refiner<Product<Domain<'t>>> for Refiners<'t> {
    type Evidence = (ArgId, Evidence);

    /// The first refiner that excludes the path has refined; what the last one found counts if none does.
    fn refine(
        &mut self,
        product: &mut Product<Domain<'t>>,
        reached: &mut Reached<Product<Domain<'t>>>,
        target: ArgId,
    ) -> Result<Refinement<Self::Evidence>, Stop> {
        let waiting = reached.waitlist.len();
        self.board.set_states(reached.nodes.len(), waiting, 0);
        self.board.set_phase("refining");
        let path = reached.path_to(target).1.into_iter().map(|(by, _)| by).collect();
        let mut evidence = Evidence::Path(path);
        for refiner in &mut self.refiners {
            match refiner.refine(product, reached, target)? {
                Refinement::Refined => {
                    self.board.refined();
                    self.board.set_phase("exploring");
                    return Ok(Refinement::Refined);
                }
                Refinement::Feasible(found) => evidence = found,
            }
        }
        Ok(Refinement::Feasible((target, evidence)))
    }
}
