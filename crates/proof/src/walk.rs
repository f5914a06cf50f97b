//! Follows a program symbolically from one place to the places where the proof says something, for all
//! executions at once.
//!
//! Executions that meet at a place are merged, so a walk is as large as the program around its start. For
//! this to be exact, a place is left only when all executions that come to it have arrived. So places wait in
//! the order of the program: by the calls that wait, then by locations, which are numbered in reverse
//! post-order. Where that order does not hold, as in loops with several entries, a place is left more than
//! once, which is also correct.
//!
//! Nothing is left out. A walk ends at cut points, at the end of the program or procedure, at errors, where
//! the graph reaches no error and nothing that is not understood, and where the path formula or the solver
//! says that no execution gets there. If cut points do not cut all loops, the result is still correct, but
//! there may be none: the number of steps is limited.

use crate::check::Checker;
use crate::proof::Place;
use crate::refusal::{Obligation, Refusal};
use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::Id;
use summa_c::tree::FuncId;
use summa_cfa::{EdgeId, NodeId, Op};
use summa_encode::PathId;
use summa_facts::loops::LoopId;
use summa_term::Terms;

/// Where a walk ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Until {
    /// At the cut point after `passed` others.
    CutPoint { passed: u32 },
    /// Nowhere but where the program ends, which must be before a loop or a recursive function is entered
    /// more often than this.
    End { bound: u32 },
}

/// An error, or a construct that is not understood.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) path: PathId,
    pub(crate) edge: EdgeId,
    pub(crate) step: Obligation,
    /// Cut points on the way.
    pub(crate) passed: u32,
}

/// What a walk found. Each path formula says under which condition.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) ends: BTreeMap<Place, PathId>,
    /// Cut points on the way.
    pub(crate) passed: Vec<(Place, PathId)>,
    pub(crate) hits: Vec<Hit>,
    /// Calls by contract, each with its callee's parameters set.
    pub(crate) calls: Vec<(EdgeId, PathId)>,
    /// The end of the procedure.
    pub(crate) exit: Option<PathId>,
}

/// The most steps of one walk.
const MAX_STEPS: usize = 2_000_000;
/// The most calls on the stack.
const MAX_CALLS: usize = 5_000;
/// For the question whether a loop or a recursive call is reached at all.
const PRUNE_TIME: Duration = Duration::from_millis(100);

/// Rounds of the loops around a location, outermost first, for every function on the stack.
type Rounds = Vec<Vec<(LoopId, u32)>>;

#[derive(Debug)]
struct Waiting {
    place: Place,
    path: PathId,
    passed: u32,
    rounds: Rounds,
    /// This step entered a recursive function that was entered so often before.
    entered: Option<u32>,
}

/// Cut points that were passed, the order of the program, the place itself: executions that agree in all of
/// it are merged, and no execution is there twice.
type Order = (u32, Vec<u32>, Place);

impl Checker<'_> {
    pub(crate) fn walk(
        &mut self,
        start: &Place,
        path: PathId,
        until: Until,
        is_cut: &dyn Fn(&Place) -> bool,
    ) -> Result<Walked, Refusal> {
        let mut walk = Walk { until, is_cut, waiting: BTreeMap::new(), walked: Walked::default() };
        let rounds = vec![Vec::new(); start.calls.len() + 1];
        let first = Waiting { place: start.clone(), path, passed: 0, rounds, entered: None };
        let mut steps = 0;
        self.leave_place(&mut walk, first)?;
        while let Some((_, next)) = walk.waiting.pop_first() {
            self.budget.check()?;
            steps += 1;
            if steps > MAX_STEPS || next.place.calls.len() > MAX_CALLS {
                return Err(Refusal::TooLarge("the program between two cut points"));
            }
            if !self.is_pruned(&walk, &next)? {
                if next.passed > 0 && is_cut(&next.place) {
                    walk.walked.passed.push((next.place.clone(), next.path));
                }
                self.leave_place(&mut walk, next)?;
            }
        }
        Ok(walk.walked)
    }

    /// All that can happen next.
    fn leave_place(&mut self, walk: &mut Walk<'_>, from: Waiting) -> Result<(), Refusal> {
        let (cfa, node) = (self.cfa, from.place.node);
        let function = cfa.nodes[node].function;
        if cfa.automaton(function).is_some_and(|automaton| automaton.exit == node) {
            let Some((&call, below)) = from.place.calls.split_last() else {
                walk.walked.exit = Some(match walk.walked.exit {
                    Some(other) => self.paths.or(other, from.path),
                    None => from.path,
                });
                return Ok(());
            };
            let path = self.paths.leave(from.path, call);
            let path = path.map_err(|at| Refusal::Unsupported { edge: at.edge, reason: at.reason })?;
            let mut rounds = from.rounds;
            rounds.pop();
            let place = Place { calls: below.to_vec(), node: cfa.edge(call).to };
            self.arrive(walk, Waiting { place, path, rounds, entered: None, ..from });
            return Ok(());
        }
        for &edge in cfa.leaving(node) {
            if !self.facts.reach.edge_can_reach(cfa, edge) {
                continue;
            }
            let passed = from.passed;
            let mut hit = |step| walk.walked.hits.push(Hit { path: from.path, edge, step, passed });
            match cfa.edge(edge).op {
                Op::Error { .. } if (self.is_error)(edge) => hit(Obligation::Safety),
                Op::Unsupported { .. } => hit(Obligation::Support),
                // The run is over.
                Op::Error { .. } | Op::Halt { .. } => {}
                Op::Call { callee, .. } if self.contracts.contains_key(&callee) => {
                    let Some(path) = self.by_contract(from.path, edge, callee, &mut walk.walked)? else {
                        continue;
                    };
                    self.follow(walk, &from, edge, path);
                }
                Op::Call { callee, .. } if cfa.automaton(callee).is_some() => {
                    self.enter(walk, &from, edge, callee);
                }
                _ => {
                    let path = self.paths.edge(from.path, edge);
                    self.follow(walk, &from, edge, path);
                }
            }
        }
        Ok(())
    }

    fn follow(&mut self, walk: &mut Walk<'_>, from: &Waiting, edge: EdgeId, path: PathId) {
        let place = Place { calls: from.place.calls.clone(), node: self.cfa.edge(edge).to };
        let (passed, rounds) = (from.passed, from.rounds.clone());
        self.arrive(walk, Waiting { place, path, passed, rounds, entered: None });
    }

    fn enter(&mut self, walk: &mut Walk<'_>, from: &Waiting, call: EdgeId, callee: FuncId) {
        let cfa = self.cfa;
        let Some(automaton) = cfa.automaton(callee) else { return };
        let path = self.paths.enter(from.path, call);
        let is_again =
            |&&edge: &&EdgeId| matches!(cfa.edge(edge).op, Op::Call { callee: f, .. } if f == callee);
        let entered = self.facts.calls.is_recursive(callee).then(|| {
            let before = from.place.calls.iter().filter(is_again).count();
            u32::try_from(before).unwrap_or(u32::MAX)
        });
        let mut place = Place { calls: from.place.calls.clone(), node: automaton.entry };
        place.calls.push(call);
        let mut rounds = from.rounds.clone();
        rounds.push(Vec::new());
        self.arrive(walk, Waiting { place, path, passed: from.passed, rounds, entered });
    }

    /// Control comes to a place, and waits there for all other paths to it.
    fn arrive(&mut self, walk: &mut Walk<'_>, mut new: Waiting) {
        if self.paths.guard(new.path) == Terms::FALSE {
            return;
        }
        match walk.until {
            Until::CutPoint { passed } if (walk.is_cut)(&new.place) => {
                if new.passed == passed {
                    let path = match walk.walked.ends.get(&new.place) {
                        Some(&other) => self.paths.or(other, new.path),
                        None => new.path,
                    };
                    walk.walked.ends.insert(new.place, path);
                    return;
                }
                new.passed += 1;
            }
            Until::CutPoint { .. } => {}
            Until::End { .. } => self.count_round(new.place.node, &mut new.rounds),
        }
        let order = (new.passed, self.order(&new), new.place.clone());
        match walk.waiting.get_mut(&order) {
            Some(other) => other.path = self.paths.or(other.path, new.path),
            None => drop(walk.waiting.insert(order, new)),
        }
    }

    /// One more round of the loop that the location heads; loops that were left are forgotten.
    fn count_round(&self, node: NodeId, rounds: &mut Rounds) {
        let loops = &self.facts.loops;
        let Some(rounds) = rounds.last_mut() else { return };
        rounds.retain(|&(id, _)| loops.loops[id].contains(node));
        if let Some(headed) = loops.headed_by(node) {
            match rounds.iter_mut().find(|(id, _)| *id == headed) {
                Some((_, count)) => *count += 1,
                None => rounds.push((headed, 0)),
            }
        }
    }

    /// Inside of a loop, a place is before everything after the loop's head, round by round.
    fn order(&self, at: &Waiting) -> Vec<u32> {
        let mut order = Vec::new();
        for (depth, rounds) in at.rounds.iter().enumerate() {
            for &(id, count) in rounds {
                order.extend([self.facts.loops.loops[id].head().index() as u32, count]);
            }
            if let Some(&call) = at.place.calls.get(depth) {
                order.extend([self.cfa.edge(call).from.index() as u32, call.index() as u32]);
            }
        }
        order.push(at.place.node.index() as u32);
        order
    }

    /// Is it certain that no execution gets there? Asked where walks could go on without end: with a short
    /// limit, and at the bound without one.
    fn is_pruned(&mut self, walk: &Walk<'_>, at: &Waiting) -> Result<bool, Refusal> {
        let round = match walk.until {
            Until::CutPoint { .. } => None,
            Until::End { .. } => self
                .facts
                .loops
                .headed_by(at.place.node)
                .and_then(|id| at.rounds.last()?.iter().find(|&&(other, _)| other == id))
                .map(|&(_, count)| count),
        };
        let Some(count) = at.entered.max(round) else { return Ok(false) };
        let mut formulas = self.paths.facts_for(at.path, &[]);
        formulas.push(self.paths.guard(at.path));
        let terms = &mut self.paths.encoder.terms;
        let node = at.place.node;
        match walk.until {
            Until::End { bound } if count >= bound => {
                let step = Obligation::Bound;
                if self.questions.is_impossible(terms, &formulas, (step, node))? {
                    return Ok(true);
                }
                Err(Refusal::Wrong { step, at: node, edge: None })
            }
            _ => self.questions.is_soon_impossible(terms, &formulas, PRUNE_TIME),
        }
    }
}

struct Walk<'w> {
    until: Until,
    is_cut: &'w dyn Fn(&Place) -> bool,
    waiting: BTreeMap<Order, Waiting>,
    walked: Walked,
}
