//! Bounded model checking and k-induction: Algorithm 3 of the paper, with growing k.
//!
//! Paper: Beyer, Dangl, Wendler, Section 4.1 and 4.2. For each k there are three checks: the *base case* (no
//! error within k rounds of each loop), the *forward condition* (nothing lies beyond), and the *induction
//! step*. BMC is the same without the step.
//!
//! The paper assumes one loop. Here there may be many, also nested ones and loops in callees. Loop heads,
//! each with every call stack under which it is reached, are cut points: they cut executions into segments.
//! The step counts visits of cut points over the whole program, and uses the same k for all of them, so
//! several loops need no special case. For every cut point c the step shows: from any state at c that
//! satisfies the known invariants, k segments without an error are not followed by a segment with one. The
//! base case covers all executions of at most k segments. Together no execution has an error, because its
//! last k + 1 segments would contradict the step.
//!
//! Before all that k = 0 is tried: if no segment has an error, whatever the values at its beginning, no
//! execution has one. This asks about one round of a loop where k = 1 asks about two, and it asks nothing
//! about the start. It is enough for controllers whose property repeats what their step computes, where each
//! round is a formula of many floats.
//!
//! Invariants are refined in turns with the engine ([`crate::invariants::beside`]): when the step fails, more
//! precise ones are computed.
//!
//! Limits: programs with recursion have no finite set of cut points, so only base case and forward condition
//! are tried.

use crate::graph::Graph;
use crate::invariants::beside::Beside;
use crate::invariants::intervals::{Analysed, formulas};
use crate::invariants::{MAX_CONTEXTS, lemma_budget, lemmas};
use crate::judge::unsupported;
use crate::proof::{Lemmas, Written, of_induction, of_unrolling};
use crate::task::{Choice, Claim, Ending, Explored, Outcome, Reason, Replay, Report, Task};
use crate::unrolling::{Arg, Findings, Unroller};
use std::time::Duration;
use summa_base::clock::Work;
use summa_cfa::NodeId;
use summa_cpa::Stop;
use summa_domains::callstack::StackId;
use summa_encode::PathId;
use summa_logic::Invariants;
use summa_proof::{Method, Place};
use summa_term::{Term, Terms};

#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub start: u32,
    pub max: Option<u32>,
    /// Without it this is bounded model checking.
    pub step: bool,
    /// The step is strengthened by an interval analysis.
    pub invariants: bool,
    /// And then by lemmas.
    pub lemmas: bool,
}

impl Settings {
    /// Lines 15 to 23 of the algorithm left out.
    pub fn bmc(start: u32, max: Option<u32>) -> Self {
        Self { start, max, step: false, invariants: false, lemmas: false }
    }
}

/// inc: the bound after k.
pub fn next_bound(k: u32) -> u32 {
    k.saturating_add((k / 4).max(1))
}

pub fn run<'t>(task: &Task<'t>, settings: Settings, replay: &mut Replay<'_>) -> Report<'t> {
    let mut unroller = match Unroller::new(task) {
        Ok(unroller) => unroller,
        Err(reason) => return Report::new(Outcome::unknown(reason), task),
    };
    let mut induction = Induction {
        task,
        settings,
        unroller: &mut unroller,
        points: None,
        open: Vec::new(),
        invariants: None,
        beside: Beside::new(task, Work::start()),
        has_lemmas: false,
        base: None,
        lemmas: Lemmas::default(),
        method: None,
    };
    let ending = induction.deepen(replay).unwrap_or_else(Ending::unknown);
    let outcome = ending.with_proof(|| Claim::from(induction.proof()));
    let base = induction.base.take();
    let mut report = Report::new(outcome, task);
    report.stats.solvers.push(("unrolling", unroller.logic().statistics()));
    let names = unroller.product.components.iter().map(summa_domains::Domain::name);
    report.stats.components = names.zip(unroller.product.uses.iter().cloned()).collect();
    report.graph = base.map(|reached| unroller.graph(reached));
    report
}

/// The unrolling of the base case for one k, to look at.
pub fn base_graph<'t>(task: &Task<'t>, k: u32) -> Result<Graph<'t>, Reason> {
    let mut unroller = Unroller::new(task)?;
    let reached = unroller.unroll_start(k)?;
    Ok(unroller.graph(reached))
}

/// The unrolling of the induction step for one k, from the first cut point at a loop head.
pub fn step_graph<'t>(task: &Task<'t>, head: NodeId, k: u32) -> Result<Graph<'t>, Reason> {
    let mut unroller = Unroller::new(task)?;
    let points = unroller.cut_points(MAX_CONTEXTS).unwrap_or_default();
    let Some(&(stack, head)) = points.iter().find(|&&(_, node)| node == head) else {
        return Err(Reason::GaveUp("this is no loop head that control reaches".to_owned()));
    };
    let reached = unroller.unroll_head(head, stack, k + 1)?;
    Ok(unroller.graph(reached))
}

/// The part of the remaining time that one question for k = 0 may take; below, its time if there is no limit.
const AT_ONCE_SHARE: f64 = 0.25;
const AT_ONCE_TIME: Duration = Duration::from_secs(20);

struct Induction<'i, 't> {
    task: &'i Task<'t>,
    settings: Settings,
    unroller: &'i mut Unroller<'t>,
    /// All cut points; None before the search for them.
    points: Option<Vec<(StackId, NodeId)>>,
    /// Those for which the step was not shown yet, with the k at hand.
    open: Vec<(StackId, NodeId)>,
    /// None before they were needed.
    invariants: Option<Invariants>,
    /// Where more of them come from.
    beside: Beside,
    has_lemmas: bool,
    /// The last unrolling from the start.
    base: Option<Arg<'t>>,
    /// Where invariants come from, for the proof.
    lemmas: Lemmas,
    /// How safety was shown.
    method: Option<Method>,
}

impl Induction<'_, '_> {
    /// Algorithm 3.
    fn deepen(&mut self, replay: &mut Replay<'_>) -> Result<Ending, Reason> {
        if self.settings.step && self.segments_are_safe()? {
            self.method = Some(Method::Induction { k: 0 });
            return Ok(Ending::Claimed(Explored));
        }
        let mut k = self.settings.start.max(1);
        // 5: while k ≤ k_max
        loop {
            // 6-11: base case, 12-14: forward condition
            self.task.board.set_phase(format!("base case, k = {k}"));
            let reached = self.unroller.unroll_start(k)?;
            let findings = self.unroller.findings(&reached);
            self.base = Some(reached);
            if let Some(outcome) = self.base_case(&findings, replay)? {
                return Ok(outcome);
            }
            let cut: Vec<PathId> = findings.cut.iter().map(|&(path, _)| path).collect();
            if !self.unroller.is_feasible(&cut, &[]).or_else(maybe)? {
                self.method = Some(Method::Unrolling { bound: k });
                return Ok(Ending::Claimed(Explored));
            }
            self.task.board.set_bound(k);
            // 15-23: induction step
            if self.settings.step && self.step(k)? {
                self.method = Some(Method::Induction { k });
                return Ok(Ending::Claimed(Explored));
            }
            if self.settings.max.is_some_and(|max| k >= max) {
                return Err(Reason::GaveUp(format!("no error up to the bound {k}")));
            }
            // 24: k := inc(k)
            k = next_bound(k).min(self.settings.max.unwrap_or(u32::MAX));
            self.task.budget.check_now()?;
        }
    }

    /// Algorithm 3 for k = 0: the first segment has no error, and no segment that begins at a cut point has
    /// one, with any values.
    fn segments_are_safe(&mut self) -> Result<bool, Reason> {
        self.points = self.unroller.cut_points(MAX_CONTEXTS);
        let Some(points) = self.points.clone().filter(|points| !points.is_empty()) else { return Ok(false) };
        self.task.board.set_phase("induction step, k = 0");
        let reached = self.unroller.first_segment()?;
        let mut targets = self.unroller.findings(&reached).targets();
        for (stack, head) in points {
            let segment = self.unroller.unroll_head(head, stack, 1)?;
            targets.extend(self.unroller.findings(&segment).targets());
            // One that may well happen is enough to know that k = 0 is not.
            let time = self.task.budget.remaining().map_or(AT_ONCE_TIME, |left| left.mul_f64(AT_ONCE_SHARE));
            if self.unroller.may_be_feasible(&targets, time.min(self.task.query_timeout))? {
                return Ok(false);
            }
            targets.clear();
        }
        self.base = Some(reached);
        Ok(true)
    }

    /// An error within the bound, or something that is not understood.
    fn base_case(&mut self, findings: &Findings, replay: &mut Replay<'_>) -> Result<Option<Ending>, Reason> {
        if let Some((edge, found)) = self.unroller.counterexample(&findings.errors)? {
            let inputs: Vec<Choice> =
                found.inputs.into_iter().map(|(input, value)| Choice { input, value }).collect();
            if replay(&inputs) {
                return Ok(Some(Ending::Error { edge, inputs }));
            }
            let what = found.approximations.first().map_or("the path formula".to_owned(), |a| a.what.clone());
            return Err(Reason::Inexact { what, edge: Some(edge) });
        }
        let unsupported_paths: Vec<PathId> = findings.unsupported.iter().map(|&(path, ..)| path).collect();
        if self.unroller.is_feasible(&unsupported_paths, &[]).or_else(maybe)? {
            return Err(unsupported(self.task, findings.unsupported[0].1));
        }
        Ok(None)
    }

    /// The induction step at k, for all cut points. As in lines 19 to 23 it is tried again
    /// when there are more invariants.
    fn step(&mut self, k: u32) -> Result<bool, Reason> {
        if self.points.is_none() {
            self.points = self.unroller.cut_points(MAX_CONTEXTS);
        }
        let Some(points) = &self.points else {
            self.settings.step = false;
            return Ok(false);
        };
        // All cut points with the same k: a step from one point with another k says nothing about executions
        // that end elsewhere.
        self.open.clone_from(points);
        loop {
            self.task.board.set_phase(format!("induction step, k = {k}"));
            self.task.board.set_depth(k);
            if self.step_with_known(k)? {
                return Ok(true);
            }
            if !self.learn()? {
                return Ok(false);
            }
        }
    }

    /// More invariants; false if there is nothing to be learnt any more.
    fn learn(&mut self) -> Result<bool, Reason> {
        if !self.settings.invariants {
            return Ok(false);
        }
        let Some(known) = &self.invariants else {
            self.task.board.set_phase("interval invariants");
            let first = self.beside.first(self.task)?;
            self.invariants = Some(Invariants::default());
            self.conjoin(&first.unwrap_or_default());
            return Ok(true);
        };
        if self.has_lemmas || !self.settings.lemmas {
            return self.listen();
        }
        self.has_lemmas = true;
        self.task.board.set_phase("lemmas");
        let points = self.points.clone().unwrap_or_default();
        let told = self.task.shared.predicates(self.unroller.logic());
        match lemmas::strengthen(self.unroller, &points, known, &told, &lemma_budget(self.task)) {
            Ok(more) => {
                let places: Vec<Place> = self.unroller.places(&points);
                let terms = self.unroller.logic().terms();
                self.lemmas.add_formulas(terms, places, known, &more);
                self.invariants = Some(more);
                Ok(true)
            }
            // There is no answer in time. Candidates that are not known to be inductive are not used.
            Err(Stop::Exhausted(_)) => {
                self.task.budget.check_now()?;
                self.listen()
            }
            Err(_) => self.listen(),
        }
    }

    /// Takes the results of more precise analyses; false if there is nothing new.
    fn listen(&mut self) -> Result<bool, Reason> {
        while let Some(found) = self.beside.next(self.task)? {
            if self.conjoin(&found) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds bounds to the invariants; false if they were there before.
    fn conjoin(&mut self, analysed: &Analysed) -> bool {
        let logic = self.unroller.logic();
        let found = formulas(logic, &analysed.heads);
        let terms = logic.terms();
        let invariants = self.invariants.get_or_insert_default();
        let mut is_new = false;
        for (node, formula) in found {
            let before = invariants.get(&node).copied().unwrap_or(Terms::TRUE);
            let both = terms.and2(before, formula);
            is_new |= both != before;
            invariants.insert(node, both);
        }
        self.task.board.set_invariants(invariants.len());
        if is_new {
            self.lemmas.add_states(analysed.states.clone());
        }
        is_new
    }

    fn proof(&mut self) -> Written {
        let places = match self.method {
            Some(Method::Induction { k: 0 }) => {
                self.unroller.places(self.points.as_deref().unwrap_or_default())
            }
            _ => Vec::new(),
        };
        let encoder = &mut self.unroller.logic().paths.encoder;
        match self.method {
            Some(Method::Induction { k }) => of_induction(encoder, self.task, (&self.lemmas, places), k),
            Some(Method::Unrolling { bound }) => of_unrolling(self.task, encoder.encoding, bound),
            None => Err("no method has shown it".to_owned()),
        }
    }

    fn step_with_known(&mut self, k: u32) -> Result<bool, Reason> {
        while let Some(&(stack, head)) = self.open.first() {
            if !self.holds_at(stack, head, k)? {
                // A step that failed may fail again, so it comes first next time.
                if let Some(points) = &mut self.points {
                    points.retain(|&point| point != (stack, head));
                    points.insert(0, (stack, head));
                }
                return Ok(false);
            }
            self.open.remove(0);
        }
        Ok(true)
    }

    /// The step from one cut point.
    fn holds_at(&mut self, stack: StackId, head: NodeId, k: u32) -> Result<bool, Reason> {
        // 15-17: unroll from the loop head with bound k + 1
        let reached = self.unroller.unroll_head(head, stack, k + 1)?;
        let findings = self.unroller.findings(&reached);
        drop(reached);
        // 18: step_case := paths to an error in the (k + 1)-st segment
        let targets = findings.errors.iter().chain(&findings.unsupported);
        let step_case: Vec<PathId> =
            targets.filter(|&&(_, _, visits)| visits == k).map(|&(path, ..)| path).collect();
        if step_case.is_empty() {
            return Ok(true);
        }
        // 20: Inv, at every visit of a loop head
        let assumptions = self.known_at(head, &findings);
        // 21: if ¬sat(Inv ∧ step_case)
        Ok(!self.unroller.is_feasible(&step_case, &assumptions).or_else(maybe)?)
    }

    /// The invariants at the first loop head and at all that are visited from there.
    fn known_at(&mut self, head: NodeId, findings: &Findings) -> Vec<Term> {
        let Some(invariants) = &self.invariants else { return Vec::new() };
        let logic = self.unroller.logic();
        let at = |node: NodeId| invariants.get(&node).copied().unwrap_or(Terms::TRUE);
        let mut known = vec![at(head)];
        for &(path, node) in &findings.heads {
            let holds = logic.after(path, at(node));
            let guard = logic.paths.guard(path);
            let terms = logic.terms();
            let not_there = terms.not(guard);
            known.push(terms.or2(not_there, holds));
        }
        known.retain(|&fact| fact != Terms::TRUE);
        known
    }
}

/// No answer from the solver to whether something can happen: it may.
fn maybe(stop: Stop) -> Result<bool, Reason> {
    match stop {
        Stop::GaveUp(_) => Ok(true),
        other => Err(other.into()),
    }
}
