//! The two algorithms over products, exploration alone and exploration with refinement, and what their
//! targets mean.
//!
//! A target is no verdict: see [`crate::judge`]. A claim of safety needs an empty waitlist, no target, and
//! nothing cut off by a bound.

use crate::assemble::{Assembly, Refiners};
use crate::config::Config;
use crate::graph::Graph;
use crate::judge::{Judge, observed};
use crate::only_execution::OnlyExecution;
use crate::proof::of_exploration;
use crate::stats::Stats;
use crate::task::{Claim, Ending, Explored, Outcome, Reason, Replay, Report, Task};
use std::rc::Rc;
use summa_base::FxHashSet;
use summa_cpa::{
    ArgId, Cpa, CpaPlusPlus, Move, Product, Reached, Refinement, Refiner, Stop, cegar, cpa_plus_plus,
};
use summa_domains::Domain;
use summa_domains::registry::Evidence;
use summa_domains::says::{Observed, Says};

/// The number of paths that are neither refuted nor replayed, after which the run gives up.
const MAX_DOUBTS: usize = 64;
/// Larger sets are not searched for invariants when a run is stopped: that would take too long.
const INVARIANT_STATES: usize = 100_000;

type States<'t> = Reached<Product<Domain<'t>>>;

/// Algorithm 2, or Algorithm 4 if there is something to refine; with a loop bound again with greater bounds
/// until nothing is cut off.
pub fn explore<'t>(
    config: &Config,
    task: &Task<'t>,
    assembly: Assembly<'t>,
    replay: &mut Replay<'_>,
) -> Report<'t> {
    let Assembly { product, refiners, .. } = assembly;
    let mut run = Run::new(task, product, config);
    let mut refiners = (!refiners.is_empty()).then(|| Refiners::new(task, refiners));
    let bounds = config.loop_bound.clone().unwrap_or_default();
    let mut bound = bounds.start;
    let outcome = loop {
        task.board.set_phase("exploring");
        run.begin(bound);
        let answer = match &mut refiners {
            None => run.without_refinement(replay),
            Some(refiners) => run.with_refinement(refiners, replay),
        };
        if let Some(outcome) = answer {
            break outcome;
        }
        if !run.is_cut() {
            break Ending::Claimed(Explored);
        }
        task.board.set_bound(bound);
        if bounds.max.is_some_and(|max| bound >= max) {
            break Ending::unknown(Reason::GaveUp(format!("no error up to the bound {bound}")));
        }
        bound = crate::k_induction::next_bound(bound).min(bounds.max.unwrap_or(u32::MAX));
    };
    run.report(outcome)
}

/// Where values alone refine, which unrolls loops, the only execution of a program is run before anything is
/// refined.
struct RunFirst<'r, 'p, 't> {
    refiners: &'r mut Refiners<'t>,
    replay: &'r mut Replay<'p>,
    only: Option<Rc<OnlyExecution<'t>>>,
    /// The run violated the property.
    is_confirmed: bool,
}

impl<'t> Refiner<Product<Domain<'t>>> for RunFirst<'_, '_, 't> {
    type Evidence = (ArgId, Evidence);

    fn refine(
        &mut self,
        product: &mut Product<Domain<'t>>,
        reached: &mut States<'t>,
        target: ArgId,
    ) -> Result<Refinement<Self::Evidence>, Stop> {
        if let Some(only) = self.only.as_ref().filter(|only| !only.was_run()) {
            let moves: Vec<Move> = reached.path_to(target).1.into_iter().map(|(by, _)| by).collect();
            if only.violates(&moves, self.replay) {
                self.is_confirmed = true;
                return Ok(Refinement::Feasible((target, Evidence::Path(moves))));
            }
        }
        self.refiners.refine(product, reached, target)
    }
}

struct Run<'t> {
    task: Task<'t>,
    product: Product<Domain<'t>>,
    reached: States<'t>,
    layers: Vec<summa_cpa::Layer>,
    judge: Judge<'t>,
    /// Refinement has no formulas.
    unrolls: bool,
}

impl<'t> Run<'t> {
    fn new(task: &Task<'t>, mut product: Product<Domain<'t>>, config: &Config) -> Self {
        if task.measure {
            product.measure();
        }
        let board = task.board.clone();
        product.watch = Some(Box::new(move |by: Move| board.visit(by.to)));
        let layers = config.layers();
        Self {
            task: task.clone(),
            product,
            reached: Reached::new(layers.clone()),
            layers,
            judge: Judge::new(task, config),
            unrolls: !config.uses_formulas(),
        }
    }

    /// The initial state alone, in both sets.
    fn begin(&mut self, bound: u32) {
        for component in &mut self.product.components {
            component.set_bound(bound);
        }
        self.reached = Reached::new(self.layers.clone());
        let entry = self.task.cfa.entry();
        let (state, precision) = self.product.initial(entry);
        self.reached.add_root(self.task.cfa, &self.product, entry, state, precision);
    }

    /// Algorithm 2, again and again until everything is explored; None if no target is there.
    fn without_refinement(&mut self, replay: &mut Replay<'_>) -> Option<Ending> {
        // The reason why the first unconfirmed target was not confirmed.
        let mut doubt: Option<Reason> = None;
        loop {
            let abort = |cpa: &Product<Domain<'t>>, state: &_| cpa.is_target(state);
            match cpa_plus_plus(
                self.task.cfa,
                &mut self.product,
                &mut self.reached,
                &abort,
                &self.task.budget,
            ) {
                Err(stop) => return Some(Ending::unknown(stop)),
                Ok(CpaPlusPlus::Complete) => break,
                Ok(CpaPlusPlus::Aborted(target)) => {
                    let path = self.reached.path_to(target).1.into_iter().map(|(by, _)| by).collect();
                    match self.judged(target, Evidence::Path(path), replay) {
                        Ending::Unknown { reason: reason @ Reason::Exhausted(_) } => {
                            return Some(Ending::unknown(reason));
                        }
                        Ending::Unknown { reason } => {
                            doubt.get_or_insert(reason);
                        }
                        answer @ (Ending::Error { .. } | Ending::Claimed(Explored)) => return Some(answer),
                    }
                }
            }
        }
        let doubt = doubt.or_else(|| {
            self.reached.targets().next().map(|target| self.judge.imprecise(self.observed(target)))
        });
        doubt.map(Ending::unknown)
    }

    /// Algorithm 4; None if no target is left.
    fn with_refinement(&mut self, refiners: &mut Refiners<'t>, replay: &mut Replay<'_>) -> Option<Ending> {
        // If no refiner excludes a path, and no execution along it is found, there will be no proof. Another
        // path may be an error.
        let mut doubt: Option<Reason> = None;
        let mut excluded: FxHashSet<Vec<Move>> = FxHashSet::default();
        let cfa = self.task.cfa;
        let only = self.unrolls.then(|| self.judge.only.clone());
        let mut refiners = RunFirst { refiners, replay, only, is_confirmed: false };
        loop {
            match cegar(cfa, &mut self.product, &mut self.reached, &mut refiners, &self.task.budget) {
                Ok(summa_cpa::Outcome::Unsafe((target, evidence))) => {
                    if refiners.is_confirmed
                        && let Observed::Violation(edge) = self.observed(target)
                    {
                        return Some(Ending::Error { edge, inputs: Vec::new() });
                    }
                    let replay = &mut *refiners.replay;
                    let path = match &evidence {
                        Evidence::Path(moves) => moves.clone(),
                        Evidence::Model(_) => return Some(self.judged(target, evidence, replay)),
                    };
                    // After a refinement, exploration may find it again.
                    if !excluded.contains(&path) {
                        match self.judged(target, evidence, replay) {
                            Ending::Unknown {
                                reason: reason @ (Reason::Imprecise { .. } | Reason::Inexact { .. }),
                            } if excluded.len() < MAX_DOUBTS => {
                                doubt.get_or_insert(reason);
                            }
                            answer => return Some(answer),
                        }
                        excluded.insert(path);
                    }
                    self.reached.prune(target);
                }
                Ok(summa_cpa::Outcome::Safe) => {
                    let is_complete =
                        self.reached.waitlist.is_empty() && self.reached.targets().next().is_none();
                    let incomplete =
                        (!is_complete).then(|| Reason::GaveUp("the exploration is not complete".to_owned()));
                    return doubt.or(incomplete).map(Ending::unknown);
                }
                Err(stop) => return Some(Ending::unknown(stop)),
            }
        }
    }

    fn judged(&mut self, target: ArgId, evidence: Evidence, replay: &mut Replay<'_>) -> Ending {
        self.judge.judge(self.observed(target), evidence, replay)
    }

    fn observed(&self, target: ArgId) -> Observed {
        observed(&self.product.components, &self.reached.nodes[target].state)
    }

    /// A bound stopped the exploration somewhere.
    fn is_cut(&self) -> bool {
        let is_cut = |id: ArgId| {
            let states = self.reached.nodes[id].state.iter();
            self.product.components.iter().zip(states).any(|(component, state)| component.is_cut_off(state))
        };
        self.reached.alive().any(is_cut)
    }

    fn report(mut self, outcome: Ending) -> Report<'t> {
        let outcome =
            outcome.with_proof(|| Claim::from(of_exploration(&self.task, &mut self.product, &self.reached)));
        let mut stats = Stats::of(&self.product);
        stats.solvers.extend(self.judge.statistics().map(|statistics| ("path check", statistics)));
        let task = self.task;
        let graph = Graph { cfa: task.cfa, product: self.product, reached: self.reached };
        let (reached, waiting, covered) = graph.sizes();
        task.board.set_states(reached, waiting, covered);
        if matches!(outcome, Outcome::Unknown { .. }) && reached <= INVARIANT_STATES {
            task.board.set_invariants(graph.invariants().len());
        }
        if matches!(outcome, Outcome::Unknown { .. }) {
            let alive = graph.reached.alive().map(|id| &graph.reached.nodes[id].precision[..]);
            task.shared.tell_predicates(&graph.product.components, alive);
        }
        let progress = task.board.progress();
        stats.counts.extend([
            ("States reached".to_owned(), reached as u64),
            ("States covered".to_owned(), covered as u64),
            ("States waiting".to_owned(), waiting as u64),
            ("Moves".to_owned(), progress.moves),
            ("Refinements".to_owned(), progress.refinements),
        ]);
        Report { progress, stats, graph: Some(graph), ..Report::new(outcome, &task) }
    }
}
