//! The two algorithms over products: exploration alone, and exploration with refinement; and what their targets mean.
//!
//! A target is no verdict. The path to it is checked precisely ([`crate::counterexample`]): an error counts when it was replayed, an
//! edge that Summa does not understand when a path to it cannot be excluded. `Safe` needs an empty waitlist, no target,
//! and nothing cut off by a bound.

use crate::assemble::{Assembly, Evidence, Refiners};
use crate::config::{Config, EncodingChoice};
use crate::counterexample::{Feasibility, PathChecker};
use crate::encoding_choice::choose;
use crate::graph::Graph;
use crate::stats::Stats;
use crate::task::{Outcome, Reason, Replay, Report, Task};
use summa_base::FxHashSet;
use summa_cfa::EdgeId;
use summa_cpa::{ArgId, Cpa, CpaPlusPlus, Move, Product, Reached, cegar, cpa_plus_plus};
use summa_domains::loop_bound::LoopBound;
use summa_domains::specification::Observed;
use summa_domains::{AnyState, Domain};
use summa_encode::Encoding;

/// Larger sets are not searched for invariants when a run is stopped: that would take too long.
const INVARIANT_STATES: usize = 100_000;

type States<'t> = Reached<Product<Domain<'t>>>;

/// Algorithm 2, or Algorithm 4 if there is something to refine; with a loop bound again with greater bounds until nothing is
/// cut off.
pub fn explore<'t>(
    config: &Config,
    task: &Task<'t>,
    assembly: Assembly<'t>,
    replay: &mut Replay<'_>,
) -> Report<'t> {
    let Assembly { product, refiners } = assembly;
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
            break Outcome::Safe;
        }
        task.board.set_bound(bound);
        if bounds.max.is_some_and(|max| bound >= max) {
            break Outcome::unknown(Reason::GaveUp(format!("no error up to the bound {bound}")));
        }
        bound = crate::k_induction::next_bound(bound).min(bounds.max.unwrap_or(u32::MAX));
    };
    run.report(outcome)
}

struct Run<'t> {
    task: Task<'t>,
    product: Product<Domain<'t>>,
    reached: States<'t>,
    layers: Vec<summa_cpa::Layer>,
    /// The encodings in which error paths are checked, one after the other until one can tell.
    checks: Vec<(Encoding, Option<PathChecker<'t>>)>,
}

impl<'t> Run<'t> {
    fn new(task: &Task<'t>, mut product: Product<Domain<'t>>, config: &Config) -> Self {
        if task.measure {
            product.measure();
        }
        let board = task.board.clone();
        product.watch = Some(Box::new(move |by: Move| board.visit(by.to)));
        let is_free = config.encoding == EncodingChoice::Auto && !config.uses_formulas();
        let encodings =
            if is_free { choose(task.cfa, task.facts).order().to_vec() } else { vec![task.encoding] };
        let checks = encodings.into_iter().map(|encoding| (encoding, None)).collect();
        let layers = config.layers();
        Self { task: task.clone(), product, reached: Reached::new(layers.clone()), layers, checks }
    }

    /// The initial state alone, in both sets.
    fn begin(&mut self, bound: u32) {
        for component in &mut self.product.components {
            if let Domain::LoopBound(domain) = component {
                domain.bound = bound;
            }
        }
        self.reached = Reached::new(self.layers.clone());
        let entry = self.task.cfa.entry();
        let (state, precision) = self.product.initial(entry);
        self.reached.add_root(self.task.cfa, &self.product, entry, state, precision);
    }

    /// Algorithm 2, again and again until everything is explored; None if no target is there.
    fn without_refinement(&mut self, replay: &mut Replay<'_>) -> Option<Outcome> {
        // Why the first target that was not confirmed was not.
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
                Err(stop) => return Some(Outcome::unknown(stop)),
                Ok(CpaPlusPlus::Complete) => break,
                Ok(CpaPlusPlus::Aborted(target)) => {
                    let path = self.reached.path_to(target).1.into_iter().map(|(by, _)| by).collect();
                    match self.judge(target, Evidence::Path(path), replay) {
                        Outcome::Unknown { reason: reason @ Reason::Exhausted(_) } => {
                            return Some(Outcome::unknown(reason));
                        }
                        Outcome::Unknown { reason } => {
                            doubt.get_or_insert(reason);
                        }
                        answer @ (Outcome::Error { .. } | Outcome::Safe) => return Some(answer),
                    }
                }
            }
        }
        let doubt = doubt.or_else(|| self.reached.targets().next().map(|target| self.imprecise(target)));
        doubt.map(Outcome::unknown)
    }

    /// Algorithm 4; None if no target is left.
    fn with_refinement(&mut self, refiners: &mut Refiners<'t>, replay: &mut Replay<'_>) -> Option<Outcome> {
        // A path that no refiner excludes, though there is no execution along it, ends all hope for a proof. Another one may
        // be an error.
        let mut doubt: Option<Reason> = None;
        let mut excluded: FxHashSet<Vec<Move>> = FxHashSet::default();
        loop {
            match cegar(self.task.cfa, &mut self.product, &mut self.reached, refiners, &self.task.budget) {
                Ok(summa_cpa::Outcome::Unsafe((target, evidence))) => {
                    let path = match &evidence {
                        Evidence::Path(moves) => moves.clone(),
                        Evidence::Inputs { .. } => return Some(self.judge(target, evidence, replay)),
                    };
                    // After a refinement, exploration may come upon it again.
                    if !excluded.contains(&path) {
                        match self.judge(target, evidence, replay) {
                            Outcome::Unknown { reason: reason @ Reason::Imprecise { .. } } => {
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
                    return doubt.or(incomplete).map(Outcome::unknown);
                }
                Err(stop) => return Some(Outcome::unknown(stop)),
            }
        }
    }

    /// What a target that was not excluded means.
    fn judge(&mut self, target: ArgId, evidence: Evidence, replay: &mut Replay<'_>) -> Outcome {
        let observed = self.observed(target);
        self.task.board.set_phase("checking a path to an error");
        let outcome = match (observed, evidence) {
            (Observed::Nothing, _) => {
                Outcome::unknown(Reason::GaveUp("a target without a violation".to_owned()))
            }
            (Observed::Unsupported(edge), Evidence::Inputs { .. }) => {
                Outcome::unknown(unsupported(&self.task, edge))
            }
            (Observed::Unsupported(edge), Evidence::Path(moves)) => {
                let is_feasible = self.checker(0).ok().and_then(|checker| checker.is_feasible(&moves));
                let is_excluded = is_feasible == Some(false);
                Outcome::unknown(if is_excluded {
                    Reason::Imprecise { edge }
                } else {
                    unsupported(&self.task, edge)
                })
            }
            (Observed::Violation(edge), Evidence::Inputs { choices, inexact }) => {
                if replay(&choices) {
                    return Outcome::Error { edge, inputs: choices };
                }
                let what = inexact.unwrap_or_else(|| "the path formula".to_owned());
                Outcome::unknown(Reason::Inexact { what, edge: Some(edge) })
            }
            (Observed::Violation(edge), Evidence::Path(moves)) => self.check(&moves, edge, replay),
        };
        self.task.board.set_phase("exploring");
        outcome
    }

    fn check(&mut self, moves: &[Move], edge: EdgeId, replay: &mut Replay<'_>) -> Outcome {
        let mut doubt = Reason::Imprecise { edge };
        for place in 0..self.checks.len() {
            let checker = match self.checker(place) {
                Ok(checker) => checker,
                Err(reason) => return Outcome::unknown(reason),
            };
            match checker.check(moves, edge, replay) {
                Feasibility::Replayed(inputs) => return Outcome::Error { edge, inputs },
                // Formulas allow more than what is, in every encoding.
                Feasibility::Infeasible => return Outcome::unknown(Reason::Imprecise { edge }),
                Feasibility::NotReplayed(reason) | Feasibility::Undecided(reason) => doubt = reason,
            }
            if matches!(doubt, Reason::Exhausted(_)) {
                break;
            }
        }
        Outcome::unknown(doubt)
    }

    /// What checks paths in the encoding at this place of the list.
    fn checker(&mut self, place: usize) -> Result<&mut PathChecker<'t>, Reason> {
        let (encoding, checker) = &mut self.checks[place];
        let ready = match checker.take() {
            Some(ready) => ready,
            None => PathChecker::new(&self.task.in_encoding(*encoding))?,
        };
        Ok(checker.insert(ready))
    }

    fn observed(&self, target: ArgId) -> Observed {
        let states = self.reached.nodes[target].state.iter();
        let mut found = states.filter_map(|state| match state {
            AnyState::Specification(observed) => Some(*observed),
            _ => None,
        });
        found.next().unwrap_or(Observed::Nothing)
    }

    fn imprecise(&self, target: ArgId) -> Reason {
        match self.observed(target) {
            Observed::Violation(edge) => Reason::Imprecise { edge },
            Observed::Unsupported(edge) => unsupported(&self.task, edge),
            Observed::Nothing => Reason::GaveUp("a target without a violation".to_owned()),
        }
    }

    /// A bound stopped the exploration somewhere.
    fn is_cut(&self) -> bool {
        let is_cut =
            |state: &AnyState| matches!(state, AnyState::LoopBound(counters) if LoopBound::is_cut(counters));
        self.reached.alive().any(|id| self.reached.nodes[id].state.iter().any(is_cut))
    }

    fn report(self, outcome: Outcome) -> Report<'t> {
        let names = self.product.components.iter().map(|component| component.name());
        let components = names.zip(self.product.uses.iter().cloned()).collect();
        let mut stats = Stats { components, ..Stats::default() };
        for component in &self.product.components {
            if let Domain::Predicate(predicate) = component {
                stats.solvers.push(("predicate", predicate.logic.statistics()));
                stats.counts.extend([
                    ("Abstractions".to_owned(), predicate.counters.abstractions),
                    ("Abstractions reused".to_owned(), predicate.counters.abstractions_reused),
                    ("Forced covers".to_owned(), predicate.counters.forced_covers),
                ]);
            }
        }
        let checkers = self.checks.iter().filter_map(|(_, checker)| checker.as_ref());
        stats.solvers.extend(checkers.map(|checker| ("path check", checker.statistics())));
        let task = self.task;
        let graph = Graph { cfa: task.cfa, product: self.product, reached: self.reached };
        let (reached, waiting, covered) = graph.sizes();
        task.board.set_states(reached, waiting, covered);
        if matches!(outcome, Outcome::Unknown { .. }) && reached <= INVARIANT_STATES {
            task.board.set_invariants(graph.invariants().len());
        }
        let progress = task.board.progress();
        stats.counts.extend([
            ("States reached".to_owned(), reached as u64),
            ("States covered".to_owned(), covered as u64),
            ("States waiting".to_owned(), waiting as u64),
            ("Moves".to_owned(), progress.moves),
            ("Refinements".to_owned(), progress.refinements),
        ]);
        Report { outcome, progress, stats, graph: Some(graph) }
    }
}

/// An edge that is not understood may be reached.
pub fn unsupported(task: &Task<'_>, edge: EdgeId) -> Reason {
    let what = match &task.cfa.edges[edge].op {
        summa_cfa::Op::Unsupported { what } => what.to_string(),
        op => op.text(&task.cfa.program),
    };
    Reason::Unsupported { what, edge: Some(edge) }
}
