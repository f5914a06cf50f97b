//! From a configuration to an analysis: the product of its domains, and the refiners that belong to them.
//!
//! There is one function for each domain with settings. A refiner of one domain answers for the whole
//! product. Several refiners are asked in the order of the configuration, and the first that excludes the
//! path has refined.

use crate::config::{
    Abstraction, BamConfig, BlockOperator, Config, DomainName, IntervalConfig, InvariantSource, Merge,
    PredicateConfig, PredicateRefinement, Restart, ValueConfig, ValuePrecision, ValueScope,
};
use crate::invariants::{of_loop_heads, with_lemmas};
use crate::progress::Board;
use crate::task::{Choice, Reason, Task};
use std::sync::Arc;
use summa_cfa::Cfa;
use summa_cpa::{ArgId, Move, Product, Reached, Refinement, Refiner, Stop};
use summa_domains::Domain;
use summa_domains::callstack::Callstack;
use summa_domains::interval::Intervals;
use summa_domains::linear::Linear;
use summa_domains::location::Location;
use summa_domains::loop_bound::{Counting, LoopBound};
use summa_domains::octagon::Octagons;
use summa_domains::path::AbstractPath;
use summa_domains::predicate::{Predicate, PredicateRefiner};
use summa_domains::scalars;
use summa_domains::sign::SignDomain;
use summa_domains::specification::Specification;
use summa_domains::value::{Value, ValueRefiner};
use summa_logic::{Counterexample, Invariants};

/// What shows that an error path may be feasible.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The abstract path: whether it is feasible is yet to be seen.
    Path(Vec<Move>),
    /// The inputs of a model, and what in the formulas was not exact.
    Inputs { choices: Vec<Choice>, inexact: Option<String> },
}

/// A refiner of some domain of the product.
pub type DomainRefiner<'t> = Box<dyn Refiner<Product<Domain<'t>>, Evidence = Evidence> + 't>;

/// An analysis that is ready to run.
pub struct Assembly<'t> {
    pub product: Product<Domain<'t>>,
    pub refiners: Vec<DomainRefiner<'t>>,
}

/// The product and the refiners of a configuration.
pub fn assemble<'t>(config: &Config, task: &Task<'t>) -> Result<Assembly<'t>, Reason> {
    let mut components = Vec::new();
    let mut refiners = Vec::new();
    for &name in &config.domains {
        let (component, refiner) = component(config, task, name, components.len())?;
        components.push(component);
        refiners.extend(refiner);
    }
    let mut product = Product::new(components);
    for reduction in &config.reductions {
        // A configuration has both domains of its reductions.
        product
            .reductions
            .extend(summa_domains::reductions::reduction(reduction.named(), &product.components));
    }
    Ok(Assembly { product, refiners })
}

/// The component that will be at `index` of the product, and its refiner if it has one.
fn component<'t>(
    config: &Config,
    task: &Task<'t>,
    name: DomainName,
    index: usize,
) -> Result<(Domain<'t>, Option<DomainRefiner<'t>>), Reason> {
    let (cfa, facts) = (task.cfa, task.facts);
    match name {
        DomainName::Location => Ok((Domain::Location(Location { cfa }), None)),
        DomainName::Callstack => Ok((Domain::Callstack(callstack(config, cfa)), None)),
        DomainName::Specification => {
            Ok((Domain::Specification(Specification::new(cfa, task.violations())), None))
        }
        DomainName::LoopBound => {
            let start = config.loop_bound.clone().unwrap_or_default().start;
            Ok((Domain::LoopBound(LoopBound::new(cfa, facts, Counting::PerLoop, start)), None))
        }
        DomainName::Predicate => predicate(config, &config.predicate.clone().unwrap_or_default(), task),
        DomainName::Value => Ok(value(&config.value.clone().unwrap_or_default(), task, index)),
        DomainName::Interval => {
            let options = interval(&config.interval.clone().unwrap_or_default());
            Ok((Domain::Interval(Intervals::new(cfa, facts, options)), None))
        }
        DomainName::Linear => Ok((Domain::Linear(Linear::new(cfa, facts)), None)),
        DomainName::Octagon => Ok((Domain::Octagon(Octagons::new(cfa, facts)), None)),
        DomainName::Sign => {
            Ok((Domain::Sign(SignDomain::new(cfa, facts, scalars::Options::default())), None))
        }
    }
}

/// Which functions are not summarised.
pub(crate) fn inlined(bam: &BamConfig, task: &Task<'_>) -> u32 {
    if shows_summaries(task) { 0 } else { bam.inline }
}

/// Invariants come from unrolling, which has no end where functions recur: that costs more than it brings.
fn recurs(task: &Task<'_>) -> bool {
    let calls = &task.facts.calls;
    calls.recursive.iter().any(|function| calls.reachable.contains(function))
}

/// Summaries that others see are those of all functions, and they stand alone: nothing is taken for granted
/// that holds in this program only.
fn shows_summaries(task: &Task<'_>) -> bool {
    task.contracts || task.archive.is_some()
}

/// Without recursion a summary is for one call stack.
fn callstack<'t>(config: &Config, cfa: &'t Cfa) -> Callstack<'t> {
    let mut domain = Callstack::new(cfa);
    domain.keep_stack = config.bam.as_ref().is_some_and(|bam| !bam.recursion);
    domain
}

fn interval(config: &IntervalConfig) -> scalars::Options {
    let merge = match config.merge {
        Merge::Sep => scalars::Merge::Sep,
        Merge::Join => scalars::Merge::Join,
    };
    scalars::Options {
        merge,
        joins: config.widen_after,
        threshold_rounds: config.threshold_rounds,
        split_calls: config.split_calls as usize,
        entry_cases: config.entry_cases as usize,
        entry_steps: config.entry_steps,
    }
}

fn value<'t>(config: &ValueConfig, task: &Task<'t>, index: usize) -> (Domain<'t>, Option<DomainRefiner<'t>>) {
    use summa_domains::value;
    let start = match config.precision {
        ValuePrecision::All => value::Options::default(),
        ValuePrecision::Refined => value::Options::lazy(),
        ValuePrecision::Limited => value::Options::limited(),
        ValuePrecision::Growing => value::Options::growing(),
    };
    let merge = match config.merge {
        Merge::Sep => value::Merge::Sep,
        Merge::Join => value::Merge::Join,
    };
    let distinct_values = config.distinct_values.map(|count| count as usize).or(start.distinct_values);
    let domain = Value::new(task.cfa, task.facts, value::Options { merge, distinct_values, ..start });
    let mut refiner = ValueRefiner::new(index);
    refiner.scope = match config.scope {
        ValueScope::Program => value::Scope::Program,
        ValueScope::Location => value::Scope::Location,
    };
    refiner.restart = match config.restart {
        Restart::Pivot => value::Restart::Pivot,
        Restart::Root => value::Restart::Root,
    };
    (
        Domain::Value(domain),
        (config.precision != ValuePrecision::All)
            .then(|| Box::new(Adapted { refiner, evidence: unrefuted }) as DomainRefiner<'t>),
    )
}

fn predicate<'t>(
    all: &Config,
    config: &PredicateConfig,
    task: &Task<'t>,
) -> Result<(Domain<'t>, Option<DomainRefiner<'t>>), Reason> {
    use summa_domains::predicate::{Blocks, Representation, Settings, Strategy};
    let settings = Settings {
        representation: match config.abstraction {
            Abstraction::Bdd => Representation::Bdd,
            Abstraction::Term => Representation::Term,
        },
        blocks: match config.blocks {
            BlockOperator::Loops => Blocks::Loops,
            BlockOperator::LoopsAndFunctions => Blocks::LoopsAndFunctions,
            BlockOperator::Never => Blocks::Never,
        },
        strategy: match config.refinement {
            PredicateRefinement::Impact => Strategy::Impact,
            PredicateRefinement::Predicate | PredicateRefinement::None => Strategy::Predicate,
        },
        forced_covering: config.forced_covering,
        cartesian: config.cartesian,
        merge: config.merge == Merge::Join,
        prune: config.blocks == BlockOperator::Never,
        summaries: all.bam.is_some(),
        inline: all.bam.as_ref().map_or(0, |bam| inlined(bam, task)),
    };
    let mut logic = task.workbench(settings.summaries)?;
    task.board.set_phase("invariants of loop heads");
    let mut invariants = Invariants::default();
    match config.invariants {
        _ if all.bam.is_some() && (shows_summaries(task) || recurs(task)) => {}
        InvariantSource::None => {}
        InvariantSource::Interval => invariants = of_loop_heads(task, &mut logic)?,
        InvariantSource::Lemmas => (logic, invariants) = with_lemmas(task, logic)?,
    }
    let mut domain = Predicate::with(logic, settings);
    domain.invariants = invariants;
    // With blk^never nothing is refined, but the refiner decides whether the formula of a target has a model.
    let is_refined = config.refinement != PredicateRefinement::None || config.blocks == BlockOperator::Never;
    let adapted = Adapted { refiner: PredicateRefiner::default(), evidence: modelled };
    let refiner = is_refined.then(|| Box::new(adapted) as DomainRefiner<'t>);
    Ok((Domain::Predicate(domain), refiner))
}

/// A refiner of a domain, with its evidence in the words of the engines.
struct Adapted<R, X> {
    refiner: R,
    evidence: fn(X) -> Evidence,
}

impl<'t, R: Refiner<Product<Domain<'t>>>> Refiner<Product<Domain<'t>>> for Adapted<R, R::Evidence> {
    type Evidence = Evidence;

    fn refine(
        &mut self,
        product: &mut Product<Domain<'t>>,
        reached: &mut Reached<Product<Domain<'t>>>,
        target: ArgId,
    ) -> Result<Refinement<Evidence>, Stop> {
        Ok(self.refiner.refine(product, reached, target)?.map(self.evidence))
    }
}

/// A path that values do not refute.
fn unrefuted(path: AbstractPath) -> Evidence {
    Evidence::Path(path.moves)
}

/// The model of a path, as inputs.
pub(crate) fn modelled(found: Counterexample) -> Evidence {
    let choices = found.inputs.into_iter().map(|(input, value)| Choice { input, value }).collect();
    let inexact = found.approximations.into_iter().next().map(|approximation| approximation.what);
    Evidence::Inputs { choices, inexact }
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
