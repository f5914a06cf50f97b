//! Block-abstraction memoization over products: exploration of blocks, the meaning of their targets,
//! refinement through blocks.
//!
//! Paper: Beyer, Friedberger, ESEC/FSE 2020. The algorithms are in `summa_bam`; here they meet the refiners
//! of the domains. Cheap refiners are asked before the path is checked precisely, the others after that. If a
//! counterexample comes back without anything new to follow, there will be no proof; other paths may still be
//! errors.

use crate::assemble::{Assembly, assemble, inlined};
use crate::config::{BamConfig, BlockChoice, Config};
use crate::contracts::contracts;
use crate::judge::{Judge, observed};
use crate::proof::{hear, of_summaries, predicates};
use crate::saved::Saved;
use crate::stats::Stats;
use crate::task::{Claim, Ending, Explored, Outcome, Reason, Replay, Report, Task};
use summa_bam::{Bam, ErrorPath, Settings, Solved, Target};
use summa_base::FxHashSet;
use summa_cpa::{Move, Product, Refinement, Stop};
use summa_domains::Domain;
use summa_domains::registry::{DomainBlockRefiner, Evidence};
use summa_domains::says::Says;
use summa_facts::blocks::{Blocks, Partition};
use summa_proof::check;

/// Runs a configuration with a section `[bam]`.
pub fn summarise<'t>(
    config: &Config,
    bam: &BamConfig,
    task: &Task<'t>,
    assembly: Assembly<'t>,
    replay: &mut Replay<'_>,
) -> Report<'t> {
    let partition = match bam.blocks {
        BlockChoice::Functions => Partition::Functions,
        BlockChoice::FunctionsAndLoops => Partition::FunctionsAndLoops,
    };
    let blocks = Blocks::new(task.cfa, task.facts, partition, inlined(bam, task));
    let saved = Saved::new(config, task, &blocks);
    let mut run = Run::new(config, bam, task, assembly, &blocks);
    let readable = saved.as_ref().filter(|saved| saved.is_read());
    let takes_over = readable.is_some_and(|saved| saved.load(&mut run.bam));
    run.listen();
    let mut outcome = run.decide(replay);
    if takes_over && is_undecided(&outcome) {
        // Loaded summaries never cost an answer: without one, the run is repeated.
        run = match assemble(config, task) {
            Ok(assembly) => Run::new(config, bam, task, assembly, &blocks),
            Err(reason) => return Report::new(Outcome::unknown(reason), task),
        };
        outcome = run.decide(replay);
    }
    if let Some(saved) = &saved {
        saved.save(&mut run.bam);
    }
    if matches!(outcome, Ending::Unknown { .. }) {
        task.shared.tell_predicates(&run.bam.cpa.components, [&run.bam.precision[..]]);
        if !run.refines_formulas {
            task.shared.tell_summaries(hear(&run.bam));
        }
    }
    let has_loaded = run.bam.counters.loaded > 0;
    let mut report = run.report(outcome, saved.as_ref());
    if has_loaded
        && let Outcome::Claimed(claim) = &mut report.outcome
        && !is_confirmed(task, claim)
    {
        // Loaded summaries say what follows from them, but not why they hold. That is computed here. If they
        // do not hold, this is the answer.
        let again = assemble(config, task).map(|assembly| {
            let mut run = Run::new(config, bam, task, assembly, &blocks);
            let outcome = run.decide(replay);
            run.report(outcome, saved.as_ref())
        });
        match again {
            Ok(Report { outcome: Outcome::Claimed(again), .. }) => *claim = again,
            Ok(again) => report = again,
            Err(reason) => report.outcome = Outcome::unknown(reason),
        }
    }
    report
}

/// Once there is a target that nothing excludes, there is no proof. Other targets are still examined, because
/// one may be an error. That ends when the paths to them are together this many times as long as everything
/// that was explored. Otherwise a program with an imprecise target in each of many functions would take
/// quadratic time.
const PATHS_PER_MOVE: u64 = 8;
/// The least number of moves of these paths before that.
const ENOUGH_MOVES: u64 = 20_000;

/// Will the proof be confirmed? Yes, if all loaded summaries are known to hold. Otherwise the check is tried.
fn is_confirmed(task: &Task<'_>, claim: &Claim) -> bool {
    let Ok(proof) = &claim.proof else { return false };
    claim.contents.relies_on_known || check(task.cfa, task.facts, task.is_error, proof, &task.budget).is_ok()
}

/// No answer, though there is time.
fn is_undecided(outcome: &Ending) -> bool {
    matches!(outcome, Ending::Unknown { reason } if !matches!(reason, Reason::Exhausted(_)))
}

struct Run<'t, 'b> {
    task: Task<'t>,
    bam: Bam<'b, Product<Domain<'t>>>,
    judge: Judge<'t>,
    refiners: Vec<DomainBlockRefiner<'t>>,
    refines_formulas: bool,
    /// The paths that were checked.
    judged: FxHashSet<Vec<Move>>,
    /// The moves of all paths to targets that were looked at.
    followed: u64,
}

/// The result of examining a target.
enum Finding {
    Refined,
    Error(Ending),
    Doubt(Reason),
}

/// What refiners did about a path.
enum Refined {
    /// It is not found again.
    Excluded,
    /// One had a model of it.
    Judged(Ending),
    NotAtAll,
}

impl<'t: 'b, 'b> Run<'t, 'b> {
    fn new(
        config: &Config,
        bam: &BamConfig,
        task: &Task<'t>,
        assembly: Assembly<'t>,
        blocks: &'b Blocks,
    ) -> Self {
        let mut product = assembly.product;
        if task.measure {
            product.measure();
        }
        let board = task.board.clone();
        product.watch = Some(Box::new(move |by: Move| board.visit(by.to)));
        let settings =
            Settings { recursion: bam.recursion, widen_after: bam.widen_after, borrow: bam.borrow };
        Self {
            task: task.clone(),
            bam: Bam::new(task.cfa, blocks, product, settings, config.layers()),
            judge: Judge::new(task, config),
            refiners: assembly.block_refiners,
            refines_formulas: config.refines_formulas(),
            judged: FxHashSet::default(),
            followed: 0,
        }
    }

    /// Begins with the predicates from summaries of other engines.
    fn listen(&mut self) {
        let heard = self.task.shared.summaries();
        if heard.is_empty() || !self.refines_formulas {
            return;
        }
        let mut precision = self.bam.precision.to_vec();
        for (component, precision) in self.bam.cpa.components.iter_mut().zip(&mut precision) {
            if let Some(logic) = component.workbench() {
                let more = predicates(&self.task, logic, &heard);
                component.add_predicates(precision, &more);
            }
        }
        self.bam.set_precision(precision.into());
    }

    fn decide(&mut self, replay: &mut Replay<'_>) -> Ending {
        // A target that no refinement excludes, but without an execution along its path.
        let mut doubt: Option<Reason> = None;
        loop {
            self.task.board.set_phase("summarising");
            let is_hopeless =
                self.followed > ENOUGH_MOVES + PATHS_PER_MOVE * self.task.board.progress().moves;
            if let Some(doubt) = doubt.take_if(|_| is_hopeless) {
                return Outcome::unknown(doubt);
            }
            let target = match self.bam.solve(&self.task.budget) {
                Err(stop) => return Ending::unknown(stop),
                Ok(Solved::Complete) => return doubt.map_or(Ending::Claimed(Explored), Ending::unknown),
                Ok(Solved::Target(target)) => target,
            };
            match self.examine(target, replay) {
                Ok(Finding::Refined) => self.task.board.refined(),
                Ok(Finding::Error(error)) => return error,
                Ok(Finding::Doubt(reason @ Reason::Exhausted(_))) => return Ending::unknown(reason),
                Ok(Finding::Doubt(reason)) => {
                    doubt.get_or_insert(reason);
                }
                Err(Stop::GaveUp(reason)) => {
                    doubt.get_or_insert(Reason::GaveUp(reason));
                }
                Err(stop) => return Ending::unknown(stop),
            }
        }
    }

    /// Is the target an error, and if not, what excludes it?
    fn examine(&mut self, target: Target, replay: &mut Replay<'_>) -> Result<Finding, Stop> {
        let frames = self.bam.frames(target);
        let loaded = self.bam.loaded_behind(&frames);
        if !loaded.is_empty() {
            self.bam.forget_loaded(&loaded);
            return Ok(Finding::Refined);
        }
        if self.bam.settings.borrow {
            let borrowed = self.bam.borrowed_on(&frames);
            if !borrowed.is_empty() && self.bam.repair(&borrowed)? {
                return Ok(Finding::Refined);
            }
        }
        self.task.board.set_phase("refining");
        let moves = self.bam.flatten(&frames)?;
        self.followed += moves.len() as u64;
        let path = ErrorPath { frames: &frames, moves: &moves };
        if let Refined::Excluded = self.refine(target, path, true, replay)? {
            return Ok(Finding::Refined);
        }
        // One path is a smaller question than all that a summary stands for.
        let mut doubt = Reason::GaveUp("a path was found again".to_owned());
        if self.judged.insert(moves.clone()) {
            match self.judged(target, Evidence::Path(moves.clone()), replay) {
                error @ Ending::Error { .. } => return Ok(Finding::Error(error)),
                Ending::Unknown { reason } => doubt = reason,
                Ending::Claimed(Explored) => {}
            }
        }
        if matches!(doubt, Reason::Exhausted(_)) {
            return Ok(Finding::Doubt(doubt));
        }
        self.task.board.set_phase("refining");
        Ok(match self.refine(target, path, false, replay)? {
            Refined::Excluded => Finding::Refined,
            Refined::Judged(Ending::Unknown { reason }) => Finding::Doubt(reason),
            Refined::Judged(answer) => Finding::Error(answer),
            Refined::NotAtAll => Finding::Doubt(doubt),
        })
    }

    /// Asks the cheap refiners, or the others, one after the other.
    fn refine(
        &mut self,
        target: Target,
        path: ErrorPath<'_>,
        cheap: bool,
        replay: &mut Replay<'_>,
    ) -> Result<Refined, Stop> {
        let mut refined = Refined::NotAtAll;
        for index in 0..self.refiners.len() {
            let refiner = &mut self.refiners[index];
            if refiner.is_cheap() != cheap {
                continue;
            }
            match refiner.refine(&mut self.bam, path)? {
                Refinement::Refined => return Ok(Refined::Excluded),
                // The path itself is judged once, by the caller.
                Refinement::Feasible(Evidence::Path(_)) => {}
                Refinement::Feasible(model) => refined = Refined::Judged(self.judged(target, model, replay)),
            }
        }
        Ok(refined)
    }

    fn judged(&mut self, target: Target, evidence: Evidence, replay: &mut Replay<'_>) -> Ending {
        let state = &self.bam.store.summaries[target.summary].reached.nodes[target.node].state;
        self.judge.judge(observed(&self.bam.cpa.components, state), evidence, replay)
    }

    fn report(mut self, outcome: Ending, saved: Option<&Saved<'t, 'b>>) -> Report<'t> {
        let product = &self.bam.cpa;
        let mut stats = Stats::of(product);
        stats.solvers.extend(self.judge.statistics().map(|statistics| ("path check", statistics)));
        let summaries = &self.bam.store.summaries;
        let reached: usize = summaries.iter().map(|(_, summary)| summary.reached.nodes.len()).sum();
        self.task.board.set_states(reached, 0, 0);
        let progress = self.task.board.progress();
        let counters = self.bam.counters;
        stats.counts.extend([
            ("Summaries".to_owned(), counters.created),
            ("Summaries loaded".to_owned(), counters.loaded),
            ("Summaries used again".to_owned(), counters.hits),
            ("Summaries borrowed".to_owned(), counters.borrowed),
            ("Recursive calls covered".to_owned(), counters.cuts),
            ("Entries widened".to_owned(), counters.widened),
            ("States reached".to_owned(), reached as u64),
            ("Moves".to_owned(), progress.moves),
            ("Refinements".to_owned(), progress.refinements),
        ]);
        let contracts = if self.task.contracts { contracts(&mut self.bam) } else { Vec::new() };
        let outcome = outcome.with_proof(|| self.claim(saved));
        Report { outcome, progress, stats, graph: None, contracts }
    }

    /// The proof. If all loaded summaries are known to hold, it need not say why they do.
    fn claim(&mut self, saved: Option<&Saved<'t, 'b>>) -> Claim {
        match self.claim_with(false, saved) {
            Claim { proof: Ok(_), contents } if !contents.relies_on_known => self.claim_with(true, saved),
            claim => claim,
        }
    }

    fn claim_with(&mut self, all_loaded: bool, saved: Option<&Saved<'t, 'b>>) -> Claim {
        match of_summaries(&self.task, &mut self.bam, all_loaded) {
            Err(why) => Claim::from(Err(why)),
            Ok(told) => {
                let mut contents = saved.map(|saved| saved.contents(&told.proof)).unwrap_or_default();
                contents.relies_on_known = told.loaded.iter().all(|&number| contents.is_known(number));
                Claim { proof: Ok(told.proof), contents }
            }
        }
    }
}
